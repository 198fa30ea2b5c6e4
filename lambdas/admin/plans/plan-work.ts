/** What the thread of a plan does: everything between the text that was sent and the plan, but for the store. */
import type { MessagePort } from 'node:worker_threads'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { schemas } from '../../../adapters/formats/json-schema.ts'
import { openApiDocuments } from '../../../adapters/formats/openapi-text.ts'
import { skillMarkdown } from '../../../adapters/formats/skill-markdown.ts'
import { hookOptionChecks } from '../../../adapters/hooks/all-hooks.ts'
import { ok, type Result } from '../../../core/errors.ts'
import { importPlanner } from '../../../core/flow/imports/plan-import.ts'
import { setPlanner } from '../../../core/flow/imports/plan-set.ts'
import type { Planner } from '../../../core/flow/imports/planner.ts'
import { planView, setPlanView } from '../../../core/flow/imports/show-plan.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { FromThread, PlanJob, ToThread } from './plan-messages.ts'

type Page = Extract<ToThread, { kind: 'page' }>['page']

/** Serves one job after the other; the starter sends the next one when the last is over. */
export function serveJobs(port: MessagePort): void {
  const send = (message: FromThread) => port.postMessage(message)
  let take: (page: Page) => void = () => undefined
  let make: Make | undefined
  let last: Promise<unknown> = Promise.resolve()
  // Both tiers are read at once; the door answers one question after the other.
  const list = (query: Extract<FromThread, { kind: 'list' }>['query']) => {
    const page = last.then(
      () =>
        new Promise<Page>((resolve) => {
          take = resolve
          send({ kind: 'list', query })
        }),
    )
    last = page
    return page
  }
  port.on('message', async (message: ToThread) => {
    switch (message.kind) {
      case 'job':
        make = plans(message.job, { list })
        return
      case 'page':
        return take(message.page)
      case 'plan':
        if (make !== undefined) send({ kind: 'planned', result: await make(message.as) })
        return
      default:
        return message satisfies never
    }
  })
}

type Make = (as: 'plan' | 'view') => Promise<Result<object>>

function plans(job: PlanJob, skills: Pick<Ports['skills'], 'list'>): Make {
  const { settings } = job
  const ports = {
    digests: nodeDigests(),
    hooks: hookOptionChecks({ clock: systemClock(), outboundAllow: settings.outboundAllow }),
    openApiDocuments: openApiDocuments(),
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
    skills,
  }
  return job.kind === 'import'
    ? making(importPlanner(ports, settings, job.request), planView)
    : making(setPlanner(ports, settings, job.request), setPlanView)
}

function making<P extends object>(planner: Planner<P>, view: (plan: P) => object): Make {
  return async (as) => {
    const planned = await planner.plan()
    return planned.ok && as === 'view' ? ok(view(planned.value)) : planned
  }
}
