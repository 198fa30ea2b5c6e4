/**
 * Reports what a call would do, without doing it: sends nothing to an upstream, opens no secret and
 * writes nothing. The code of real calls makes the request, with stand-ins in place of secrets, and
 * gives every reason to refuse. Bound by docs/service.md, Dry runs, and ADR 0054.
 */
import { NO_CREDENTIAL } from '../../access/credential.ts'
import {
  type DryRunOrder,
  type DryRunProblem,
  type DryRunReport,
  type MappingReport,
  toDryRunProblem,
} from '../../call/dry-run.ts'
import { ok, type Refusal, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { writeCondition } from '../../response/fail-if.ts'
import type { Settings } from '../../settings.ts'
import type { Skill } from '../../skills/skill.ts'
import type { CircuitBreakers } from '../execute/circuit-breakers.ts'
import type { ExecuteRequest } from '../execute/execute-request.ts'
import { checkEnabled, draftCall, readRunnableSkill } from '../execute/validate-call.ts'
import { listSkillOrigins } from '../users/skill-origins.ts'
import { previewRequest } from './preview-request.ts'
import { NOBODY, reportSecrets } from './report-secrets.ts'

export type DryRunNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'hooks' | 'ids' | 'log' | 'schemas' | 'seals' | 'upstreamPreviews'
> & { readonly secrets: Pick<Ports['secrets'], 'find'> }

/** Refuses with `invalid_skill` a skill that cannot run. Throws `Fault` if the store fails. */
export async function dryRun(
  ports: DryRunNeeds,
  settings: Settings,
  breakers: Pick<CircuitBreakers, 'report'>,
  order: DryRunOrder,
): Promise<Result<DryRunReport>> {
  const { record } = order
  const runnable = readRunnableSkill(settings, record)
  if (!runnable.ok) return runnable
  const skill = runnable.value
  if (skill.hooks.length > 0) await ports.hooks.open?.()
  const enabled = checkEnabled(record, skill)
  const drafted = await draftCall(ports, settings, { record, skill }, toExecuteRequest(order))
  const [origin = skill.endpoint] = listSkillOrigins(ports, skill)
  const [secrets, target, shown] = await Promise.all([
    reportSecrets(ports, skill, order.uid),
    ports.upstreamPreviews.target({
      url: drafted.ok ? drafted.value.draft.url : origin,
      ...(skill.lambda === undefined ? {} : { lambda: skill.lambda }),
    }),
    drafted.ok
      ? previewRequest(ports, { skill, draft: drafted.value.draft, uid: order.uid })
      : undefined,
  ])
  const breakerKey = { origin: target.origin, uid: order.uid ?? NOBODY }
  return ok({
    problems: [
      ...toProblems(enabled, drafted, shown?.made),
      ...secrets.problems,
      ...(target.allowed ? [] : [toTargetProblem(target.rule)]),
    ],
    ...(shown?.made.ok === true ? { request: shown.made.value } : {}),
    hookRequests: shown?.hookRequests ?? [],
    secrets: secrets.reports,
    target,
    breaker: breakers.report(breakerKey, ports.clock.nowMs()),
    mapping: toMappingReport(skill),
  })
}

/** The order as an execute request, of a caller that can answer no questions of an upstream. */
export function toExecuteRequest({ arguments: args, record }: DryRunOrder): ExecuteRequest {
  return {
    credential: NO_CREDENTIAL,
    body: { skill: record.skillId, arguments: args },
    terms: undefined,
    idempotencyKey: undefined,
    gone: new AbortController().signal,
  }
}

function toProblems(
  ...results: readonly (Result<unknown, Refusal> | undefined)[]
): readonly DryRunProblem[] {
  return results.flatMap((one) => (one === undefined || one.ok ? [] : [toDryRunProblem(one.error)]))
}

function toTargetProblem(rule: string): DryRunProblem {
  return { code: 'upstream_failed', detail: `The upstream could not be reached: ${rule}.` }
}

/** How the skill would turn an upstream's answer into a result, for people who test the skill. */
function toMappingReport(skill: Skill): MappingReport {
  const { failIf = [], okStatuses = [], responsePick, shownHeaders = [] } = skill
  return {
    okStatuses: ['2xx', ...okStatuses.map(String)],
    as: skill.responseAs,
    ...(responsePick === undefined ? {} : { pick: responsePick }),
    failIf: failIf.map(writeCondition),
    showHeaders: shownHeaders,
    hasOutputSchema: skill.outputSchema !== undefined,
    hooks: skill.hooks.map(({ name }) => name),
    bytesMax: skill.responseBytesMax,
    timeoutMs: skill.timeoutMs,
    retries: skill.retries,
  }
}
