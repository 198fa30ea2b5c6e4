/**
 * Goes on from the answer of a start: with the result if the job is done at once; as a task, for a
 * caller that takes one; for any other caller by asking until the call's own time is over. Bound by
 * docs/skills.md, Jobs.
 */
import { JOB_ERRORS_MAX } from '../../call/limits.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { JobValues } from '../../request/job-skill.ts'
import { findFailingCondition } from '../../response/fail-if.ts'
import {
  type JobState,
  pickJobValues,
  readJson,
  readStartState,
} from '../../response/job-status.ts'
import type { Mask } from '../../response/mask.ts'
import { readBodyText } from '../../response/read-body.ts'
import { makeAnswerText } from '../../response/to-result.ts'
import type { JobRule } from '../../skills/skill.ts'
import { ASKS, finishLook, type JobAsker, type JobLook, lookAtJob } from './ask-job.ts'
import type { CallFailure } from './check-result.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { warnWorkDone } from './work-done.ts'

export type BegunJob = { readonly values: JobValues; readonly message: string | undefined }

export type StartEnd =
  /** The answer is no start of a job: the skill's own rules make a failure of it. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'begun'; readonly job: BegunJob }
  | { readonly kind: 'ended'; readonly result: Result<ToolResult, CallFailure> }
  | { readonly kind: 'cut' }

type Start = Omit<JobAsker, 'values'> & {
  readonly rule: JobRule
  readonly response: UpstreamResponse
  readonly mask: Mask
  /** The caller takes a task for its answer. */
  readonly takesTask: boolean
  /** Called as soon as there is a job, which is stopped if the call ends without it. */
  readonly onBegun: (values: JobValues) => void
}

/** Never throws for a failure of the upstream. */
export async function startJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  start: Start,
): Promise<StartEnd> {
  const { call, mask, onBegun, response, rule, takesTask } = start
  if (isNoStart(start)) return { kind: 'plain' }
  const json = readJson(response)
  if (json === undefined) return { kind: 'ended', result: failStart(start, NOT_JSON) }
  const state = readStartState(json, response, rule, mask)
  const values = pickStartValues(start, json, state)
  if (!values.ok) return { kind: 'ended', result: failStart(start, values.error) }
  const asker: JobAsker = { ...start, call, values: values.value }
  const look = await finishLook(ports, upstreams, asker, { state, response, mask })
  if (look.kind === 'ended' || look.kind === 'cut') return look
  onBegun(values.value)
  const message = look.kind === 'running' ? look.message : undefined
  if (takesTask) return { kind: 'begun', job: { values: values.value, message } }
  return waitForJob(ports, upstreams, asker, rule)
}

/** The values are needed for every further request; a job that has ended at once may need none. */
function pickStartValues(
  { mask, rule }: Start,
  json: Json,
  state: JobState,
): Result<JobValues, string> {
  const picked = pickJobValues(json, rule, mask)
  const needsNone = state.kind === 'failed' || (state.kind === 'done' && rule.result === undefined)
  return picked.ok || !needsNone ? picked : ok({})
}

/**
 * Asks until the job has ended or the call is cut. The upstream is not asked more often than a
 * task's.
 */
async function waitForJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  asker: JobAsker,
  { pollMs }: JobRule,
): Promise<StartEnd> {
  for (let errors = 0; ; ) {
    await ports.clock.sleep(pollMs, asker.signal)
    if (asker.signal.aborted) return { kind: 'cut' }
    const look: JobLook = await lookAtJob(ports, upstreams, asker)
    if (look.kind === 'ended' || look.kind === 'cut') return look
    errors = look.kind === 'unclear' ? errors + 1 : 0
    const failure = giveUp(look, errors)
    if (failure !== undefined) return { kind: 'ended', result: err(failure) }
  }
}

/** Nobody can be asked while the call waits for its job. */
function giveUp(
  look: Extract<JobLook, { readonly kind: 'asks' | 'running' | 'unclear' }>,
  errors: number,
): CallFailure | undefined {
  if (look.kind === 'asks') return ASKS
  return look.kind === 'unclear' && errors >= JOB_ERRORS_MAX ? look.failure : undefined
}

/** True for an answer that is a failure by its status or by `response.fail_if`. */
function isNoStart({ call, response }: Start): boolean {
  if (response.status < 200 || response.status > 299) return true
  const { failIf, mcp } = call.skill
  // The server of an MCP tool decides whether a call becomes a task.
  if (mcp !== undefined && response.status !== 202) return true
  if (failIf === undefined) return false
  const text = readBodyText(response, false)
  return text.ok && findFailingCondition(makeAnswerText(text.value), failIf) !== undefined
}

const NOT_JSON = 'The answer of the start is not JSON, so its job cannot be found again.'

function failStart({ call }: Start, detail: string): Result<never, CallFailure> {
  const failure = { code: 'upstream_failed', upstreamFault: 'unreadable' } as const
  return err(warnWorkDone({ ...failure, detail, mayHaveRun: true }, call.skill.method))
}
