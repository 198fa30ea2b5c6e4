/**
 * Asks an upstream about a job: its state, and its result when it is done. Each question is one
 * request with the skill's secrets, hooks and circuit breaker, as a call has them. Moves no money.
 * Bound by docs/skills.md, Jobs.
 */
import type { UpstreamResponse } from '../../call/upstream.ts'
import { err, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { McpTerms } from '../../request/draft-mcp.ts'
import { draftRequest } from '../../request/draft-request.ts'
import { type JobRequest, type JobValues, toJobSkill } from '../../request/job-skill.ts'
import { type JobState, readJobStatus } from '../../response/job-status.ts'
import type { Mask } from '../../response/mask.ts'
import type { JobRule, Skill } from '../../skills/skill.ts'
import { type CallFailure, checkResult, type ResultRoom } from './check-result.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import type { LoadedSecrets } from './loaded-secrets.ts'
import { placeAnswer } from './result-room.ts'
import { sendWithSecrets } from './secrets-of-call.ts'
import type { SendTerms } from './send-once.ts'
import type { ReadyCall } from './validate-call.ts'

/** One caller of a job: the call that started it, and what its requests share. */
export type JobAsker = Pick<SendTerms, 'cutAtMs' | 'signal' | 'stats'> & {
  readonly call: Omit<ReadyCall, 'enteredMinute' | 'profile'>
  readonly loaded: LoadedSecrets
  readonly values: JobValues
  /** Answers to its questions, for the request that takes them. */
  readonly responses?: JsonObject
  /** What carries the result. */
  readonly room: ResultRoom
}

export type JobLook =
  | { readonly kind: 'running'; readonly message: string | undefined }
  /** It waits for answers to these questions, by key. */
  | { readonly kind: 'asks'; readonly requests: JsonObject }
  /** The question gave no state; a later one may. */
  | { readonly kind: 'unclear'; readonly failure: CallFailure }
  | { readonly kind: 'ended'; readonly result: Result<ToolResult, CallFailure> }
  | { readonly kind: 'cut' }

/** Never throws for a failure of the upstream. */
export async function lookAtJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  asker: JobAsker,
): Promise<JobLook> {
  const rule = ruleOf(asker.call.skill)
  const asked = await sendJobRequest(ports, upstreams, asker, 'status')
  if (asked.kind !== 'answered') return asked
  const { mask, response } = asked
  const state = readJobStatus(response, rule, mask)
  if (!state.ok) return { kind: 'unclear', failure: toFailure(state.error) }
  return finishLook(ports, upstreams, asker, { state: state.value, response, mask })
}

type Stated = {
  readonly state: JobState
  readonly response: UpstreamResponse
  readonly mask: Mask
}

/** Goes on from an answer whose state was read: to the result of a job that is done. */
export async function finishLook(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  asker: JobAsker,
  { mask, response, state }: Stated,
): Promise<JobLook> {
  if (state.kind === 'running' || state.kind === 'asks') return state
  if (state.kind === 'failed') {
    const failure = { ...toFailure(state.detail), upstreamFault: 'reported' as const }
    return { kind: 'ended', result: err(failure) }
  }
  const { skill } = asker.call
  if (ruleOf(skill).result === undefined) {
    return { kind: 'ended', result: await check(ports, asker, response, mask) }
  }
  const asked = await sendJobRequest(ports, upstreams, asker, 'result')
  if (asked.kind !== 'answered') return asked
  const result = await check(ports, asker, asked.response, asked.mask)
  if (!result.ok && isTemporary(asked.response)) return { kind: 'unclear', failure: result.error }
  return { kind: 'ended', result }
}

/** The upstream may give the result when it is asked again. */
function isTemporary({ status }: UpstreamResponse): boolean {
  return status === 404 || status === 408 || status === 425 || status === 429 || status >= 500
}

/** The result of the job by the skill's own rules for answers. */
async function check(
  ports: ExecuteNeeds,
  { call, loaded, room }: JobAsker,
  response: UpstreamResponse,
  mask: Mask,
): Promise<Result<ToolResult, CallFailure>> {
  const { args, callId, skill } = call
  const nowMs = ports.clock.nowMs()
  const sentSecrets = loaded.values.size > 0
  const how = { args, callId, capabilities: {}, mask, nowMs, sentSecrets }
  const checked = checkResult(ports, response, skill, how)
  if (checked.ok) return placeAnswer(ports, checked.value, { call, response, room })
  return 'inputRequests' in checked.error ? err(ASKS) : err(checked.error)
}

/** For callers who cannot answer. */
export const ASKS: CallFailure = {
  code: 'upstream_failed',
  detail: 'The service asked for input instead of the result of its job.',
  upstreamFault: 'reported',
}

type Asked =
  | { readonly kind: 'answered'; readonly response: UpstreamResponse; readonly mask: Mask }
  | Extract<JobLook, { readonly kind: 'cut' | 'unclear' }>

/** Sends one request of the job. */
export async function sendJobRequest(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  { responses, values, ...asker }: JobAsker,
  request: JobRequest,
): Promise<Asked> {
  const skill = toJobSkill(asker.call.skill, request)
  if (skill === undefined) return { kind: 'unclear', failure: toFailure(NO_REQUEST) }
  const terms = toMcpTerms(skill, request, {
    values,
    ...(responses === undefined ? {} : { responses }),
  })
  const draft = draftRequest(skill, pickUsed(skill, values), undefined, terms)
  if (!draft.ok) return { kind: 'unclear', failure: toFailure(draft.error.detail) }
  const call = { ...asker.call, skill, draft: draft.value }
  const { mask, sent } = await sendWithSecrets(ports, upstreams, { ...asker, call })
  if (sent.ok) return { kind: 'answered', response: sent.value, mask }
  if (sent.error === 'cut') return { kind: 'cut' }
  const { mayHaveRun: _sent, ...failure } = sent.error
  return { kind: 'unclear', failure: { ...failure, detail: mask(failure.detail) } }
}

/** A task of an MCP server is named in the message, not in an address. */
function toMcpTerms(
  { mcp }: Skill,
  request: JobRequest,
  { responses = {}, values }: Pick<JobAsker, 'responses' | 'values'>,
): McpTerms {
  if (mcp === undefined) return {}
  const { taskId = '' } = values
  if (request === 'answer') return { task: { method: 'tasks/update', taskId, responses } }
  return { task: { method: request === 'cancel' ? 'tasks/cancel' : 'tasks/get', taskId } }
}

const NO_REQUEST = 'The job has no such request.'

/** A value without a place in this address would be sent as a pair of its query. */
function pickUsed({ endpoint }: Skill, values: JobValues): JobValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => endpoint.includes(`{${name}}`)),
  )
}

function ruleOf({ task }: Skill): JobRule {
  // Only skills with a job come here.
  if (task?.job === undefined) throw new Error('job: the skill has none')
  return task.job
}

function toFailure(detail: string): CallFailure {
  return { code: 'upstream_failed', detail, upstreamFault: 'unreadable' }
}
