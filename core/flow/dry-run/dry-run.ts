/**
 * Tells what a call would do, without doing it: sends nothing to an upstream, opens no secret, writes nothing.
 * The request is made by the code of calls, with stand-ins in the place of secrets, and every reason to refuse
 * is the call's own. Bound by docs/service.md, Dry runs, and ADR 0054.
 */
import {
  type DryRunOrder,
  type DryRunProblem,
  type DryRunReport,
  problemIn,
} from '../../call/dry-run.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteRequest } from '../execute/execute-request.ts'
import { checkEnabled, draftCall, runnableSkill } from '../execute/validate-call.ts'
import { skillOrigins } from '../users/skill-origins.ts'
import { mappingOf } from './mapping-report.ts'
import { previewRequest } from './preview-request.ts'
import { NOBODY, reportSecrets } from './report-secrets.ts'

export type DryRunNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'hooks' | 'ids' | 'log' | 'schemas' | 'seals' | 'upstreamPreviews'
> & { readonly secrets: Pick<Ports['secrets'], 'find'> }

/** Refuses with `invalid_skill` a skill that cannot run. Throws `Fault` when the store does not answer. */
export async function dryRun(
  ports: DryRunNeeds,
  settings: Settings,
  breakers: Pick<CircuitBreakers, 'look'>,
  order: DryRunOrder,
): Promise<Result<DryRunReport>> {
  const { record } = order
  const runnable = runnableSkill(settings, record)
  if (!runnable.ok) return runnable
  const skill = runnable.value
  if (skill.hooks.length > 0) await ports.hooks.open?.()
  const enabled = checkEnabled(record, skill)
  const drafted = await draftCall(ports, settings, { record, skill }, requestOf(order))
  const [origin = skill.endpoint] = skillOrigins(ports, skill)
  const [secrets, target, shown] = await Promise.all([
    reportSecrets(ports, skill, order.uid),
    ports.upstreamPreviews.target(drafted.ok ? drafted.value.draft.url : origin),
    drafted.ok
      ? previewRequest(ports, { skill, draft: drafted.value.draft, uid: order.uid })
      : undefined,
  ])
  const at = { origin: target.origin, uid: order.uid ?? NOBODY }
  return ok({
    problems: [
      ...problemsOf(enabled, drafted, shown?.made),
      ...secrets.problems,
      ...(target.allowed ? [] : [refusedTarget(target.rule)]),
    ],
    ...(shown?.made.ok === true ? { request: shown.made.value } : {}),
    hookRequests: shown?.hookRequests ?? [],
    secrets: secrets.reports,
    target,
    breaker: breakers.look(at, ports.clock.nowMs()),
    mapping: mappingOf(skill),
  })
}

/** As an execute request of a caller that cannot be asked for input. */
export function requestOf({ arguments: args, record }: DryRunOrder): ExecuteRequest {
  return {
    authorization: undefined,
    body: { skill: record.skillId, arguments: args },
    terms: undefined,
    idempotencyKey: undefined,
    gone: new AbortController().signal,
  }
}

function problemsOf(
  ...judged: readonly (Result<unknown, Refusal> | undefined)[]
): readonly DryRunProblem[] {
  return judged.flatMap((one) => (one === undefined || one.ok ? [] : [problemIn(one.error)]))
}

function refusedTarget(rule: string): DryRunProblem {
  return { code: 'upstream_failed', detail: `The upstream could not be reached: ${rule}.` }
}
