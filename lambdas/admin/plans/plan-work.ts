/**
 * The work in the thread of a plan: everything between the text that was sent and the plan, except
 * reading the store.
 */
import type { MessagePort } from 'node:worker_threads'
import { nodeDigests } from '../../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { makeOpenApiDocuments } from '../../../adapters/formats/openapi-text.ts'
import { makeSkillMarkdown } from '../../../adapters/formats/skill-markdown.ts'
import { makeHookOptionChecks } from '../../../adapters/hooks/all-hooks.ts'
import { ok, type Result } from '../../../core/errors.ts'
import { makeImportPlanner } from '../../../core/flow/imports/plan-import.ts'
import { makeSetPlanner } from '../../../core/flow/imports/plan-set.ts'
import type { Planner } from '../../../core/flow/imports/planner.ts'
import { toImportPlanView, toSetPlanView } from '../../../core/flow/imports/show-plan.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { FromThread, PlanJob, ToThread } from './plan-messages.ts'

type Page = Extract<ToThread, { kind: 'page' }>['page']

/** Serves one job after the other. The door sends the next job after the previous one has ended. */
export function serveJobs(port: MessagePort): void {
  const send = (message: FromThread) => port.postMessage(message)
  let resolvePage: (page: Page) => void = () => undefined
  let makePlan: MakePlan | undefined
  let lastPage: Promise<unknown> = Promise.resolve()
  // The planner reads both tiers at once, but the door answers one request for a page at a time.
  const list = (query: Extract<FromThread, { kind: 'list' }>['query']) => {
    const page = lastPage.then(
      () =>
        new Promise<Page>((resolve) => {
          resolvePage = resolve
          send({ kind: 'list', query })
        }),
    )
    lastPage = page
    return page
  }
  port.on('message', async (message: ToThread) => {
    switch (message.kind) {
      case 'job':
        makePlan = toMakePlan(message.job, { list })
        return
      case 'page':
        return resolvePage(message.page)
      case 'plan':
        if (makePlan !== undefined) send({ kind: 'planned', result: await makePlan(message.as) })
        return
      default:
        return message satisfies never
    }
  })
}

type MakePlan = (as: 'plan' | 'view') => Promise<Result<object>>

function toMakePlan(job: PlanJob, skills: Pick<Ports['skills'], 'list'>): MakePlan {
  const { settings } = job
  const ports = {
    digests: nodeDigests(),
    hooks: makeHookOptionChecks({ ...settings, clock: systemClock() }),
    openApiDocuments: makeOpenApiDocuments(),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    skills,
  }
  return job.kind === 'import'
    ? withView(makeImportPlanner(ports, settings, job.request), toImportPlanView)
    : withView(makeSetPlanner(ports, settings, job.request), toSetPlanView)
}

function withView<P extends object>(planner: Planner<P>, view: (plan: P) => object): MakePlan {
  return async (as) => {
    const planned = await planner.plan()
    return planned.ok && as === 'view' ? ok(view(planned.value)) : planned
  }
}
