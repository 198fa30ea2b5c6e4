/**
 * Runs the upstream's part of a call until the upstream answers or the call is cut. A call is cut
 * by its deadline (750 ms before the call's 15 s are over), by a caller that disconnects, or by a
 * void. Returns the result or the failure; moves no money. Bound by docs/service.md, Tool calls.
 */

import { loadOnce } from '../../cache/load-once.ts'
import type { UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { CallPhases } from '../../ledger/call-facts.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { JobValues } from '../../request/job-skill.ts'
import type { Mask } from '../../response/mask.ts'
import type { SecretPlace, SecretUsed } from '../../secrets/secret.ts'
import type { JobAsker } from './ask-job.ts'
import { checkResult, type NoResult, type ResultRoom } from './check-result.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import { type CutReason, computeBudgetMs, toCutFailure, watchCall } from './cut-call.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { type LoadedSecrets, NO_SECRETS, type SecretsFailure } from './loaded-secrets.ts'
import { redactStack } from './redacted-stack.ts'
import { findRoom, placeAnswer } from './result-room.ts'
import { sendWithSecrets } from './secrets-of-call.ts'
import { type SendStats, type SendTerms, TIMED_OUT } from './send-once.ts'
import type { BegunJob } from './start-job.ts'
import type { ReadyCall } from './validate-call.ts'
import { warnWorkDone } from './work-done.ts'

/** The upstream's part of a call, for the log and the ledger. */
export type UpstreamStats = {
  readonly upstreamStatus: number | undefined
  /** From the first send to the last byte or the cut; undefined if nothing was sent. */
  readonly upstreamMs: number | undefined
  readonly upstreamHost: string | undefined
  /** Time at which the last answer was complete, or the last send had failed. */
  readonly endedAtMs: number | undefined
  readonly phases: CallPhases
  /** The owners of the secrets that the call took; absent if it needed or loaded none. */
  readonly secretsUsed?: readonly SecretUsed[]
}

export type UpstreamRun = {
  readonly result: Result<ToolResult, NoResult>
  readonly stats: UpstreamStats
  /** True when a request may have reached an upstream and taken effect there. */
  readonly mayHaveSent: boolean
  /** The shared secrets that may have reached an upstream. */
  readonly sharedSent: readonly SecretPlace[]
  /** Undefined if no answer arrived in time. */
  readonly received: ReceivedAnswer | undefined
  /**
   * A job that goes on behind the call, for a caller that takes a task; then there is no result.
   */
  readonly begun?: BegunJob
  /** The values of a job that was begun, whether the call has a result or not. */
  readonly jobValues?: JobValues
}

/** A call without its user's profile, since nothing here depends on money. */
export type RunningCall = Omit<ReadyCall, 'profile' | 'enteredMinute'>

/** The answer from which the result was made, and the mask of the call's secrets. */
type ReceivedAnswer = { readonly response: UpstreamResponse; readonly mask: Mask }

type RunEnd = Result<ToolResult, NoResult> | BegunEnd | 'cut'
type BegunEnd = { readonly begun: BegunJob }

/** Never rejects, and ends by the deadline even if the upstream adapter does not. */
export async function runWithDeadline(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: RunningCall,
  request: ExecuteRequest,
): Promise<UpstreamRun> {
  const cut = new AbortController()
  let why: CutReason = TIMED_OUT
  const end = Promise.withResolvers<RunEnd>()
  const stop = (reason: CutReason) => {
    if (!cut.signal.aborted) why = reason
    cut.abort(reason)
    end.resolve('cut')
  }
  const onGone = () => stop('cancelled')
  if (request.gone.aborted) onGone()
  request.gone.addEventListener('abort', onGone, { once: true })
  const budgetMs = computeBudgetMs(ports, call)
  const { alarm = ports.clock.alarm } = request
  const endWatch = watchCall(ports, call, { alarm, budgetMs, stop })
  const stats: SendStats = {
    mayHaveSent: false,
    firstAtMs: undefined,
    status: undefined,
    last: undefined,
  }
  const cutAtMs = ports.clock.nowMs() + budgetMs
  const capabilities = request.body.input?.capabilities ?? NO_CAPABILITIES
  const progress: RunProgress = { secrets: NO_SECRETS, received: undefined, jobValues: undefined }
  const { signal } = cut
  const takesTask = request.task !== undefined && call.untilMs !== undefined
  const { listener } = request
  const room = findRoom(request, call)
  const own = { capabilities, cutAtMs, listener, signal, stats, progress, takesTask }
  const terms = { ...own, request, room }
  // `end` is a race, since an upstream adapter may obey the signal slowly. A throw is turned into a
  // failure, because it would skip the refund.
  askUpstream(ports, upstreams, call, terms).then(end.resolve, (cause: unknown) =>
    end.resolve(logThrown(ports, call, cause)),
  )
  const ended = await end.promise
  const { mayHaveSent, firstAtMs, status } = stats
  const begun = findBegun(ended)
  const result =
    ended === 'cut' || 'begun' in ended ? err(toCutFailure(why, { mayHaveSent, budgetMs })) : ended
  request.gone.removeEventListener('abort', onGone)
  endWatch()
  // A hook may still run after its call has ended. The abort keeps it from sending anything.
  if (call.skill.hooks.length > 0) cut.abort(OVER)
  const nowMs = ports.clock.nowMs()
  const upstreamMs = firstAtMs === undefined ? undefined : nowMs - firstAtMs
  const { last } = stats
  const { shared, used } = progress.secrets
  const upstream = {
    upstreamStatus: status,
    upstreamMs,
    upstreamHost: last?.host,
    endedAtMs: last === undefined ? undefined : (last.endedAtMs ?? nowMs),
    phases: toUpstreamPhases(last, nowMs),
    ...(used.length === 0 ? {} : { secretsUsed: used }),
  }
  const received = ended === 'cut' ? undefined : progress.received
  const sharedSent = mayHaveSent ? shared : []
  const job = toJobMembers(begun, progress)
  return { result, stats: upstream, mayHaveSent, sharedSent, received, ...job }
}

function findBegun(ended: RunEnd): BegunJob | undefined {
  return ended !== 'cut' && 'begun' in ended ? ended.begun : undefined
}

function toJobMembers(
  begun: BegunJob | undefined,
  { jobValues }: RunProgress,
): Pick<UpstreamRun, 'begun' | 'jobValues'> {
  if (jobValues === undefined) return {}
  return { jobValues, ...(begun === undefined ? {} : { begun }) }
}

/**
 * The phases of the last send, in milliseconds; earlier tries are part of the duration only. A step
 * that was not reached ends at the cut.
 */
export function toUpstreamPhases(last: SendStats['last'], nowMs: number): CallPhases {
  if (last === undefined) return {}
  const { connectedAtMs, endedAtMs = nowMs, firstByteAtMs, fromMs } = last
  const connect = (connectedAtMs ?? endedAtMs) - fromMs
  if (connectedAtMs === undefined) return { connect }
  const firstByte = (firstByteAtMs ?? endedAtMs) - connectedAtMs
  if (firstByteAtMs === undefined) return { connect, firstByte }
  return { connect, firstByte, body: endedAtMs - firstByteAtMs }
}

type RunTerms = Pick<SendTerms, 'cutAtMs' | 'listener' | 'signal' | 'stats'> & {
  /** The kinds of questions that the caller's client has declared it can answer. */
  readonly capabilities: JsonObject
  /** Written as soon as it is known, so that a call that is cut has it, too. */
  readonly progress: RunProgress
  readonly request: Pick<ExecuteRequest, 'body' | 'callerToken' | 'linkSettings'>
  /** The caller takes a task for its answer. */
  readonly takesTask: boolean
  /** What carries the result. */
  readonly room: ResultRoom
}

type RunProgress = {
  secrets: LoadedSecrets
  received: ReceivedAnswer | undefined
  jobValues: JobValues | undefined
}

/** A caller that declares no capabilities has no client that can answer questions. */
const NO_CAPABILITIES: JsonObject = {}

function logThrown({ log }: ExecuteNeeds, { callId, skill }: RunningCall, cause: unknown): RunEnd {
  log.note('error', 'call-threw', { callId, skillId: skill.skillId }, redactStack(cause))
  return err({ code: 'internal', detail: 'The gateway could not finish the call.' })
}

/**
 * The secrets have been loading since before the hold. A call without secrets waits for nothing.
 */
async function askUpstream(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: RunningCall,
  terms: RunTerms,
): Promise<RunEnd> {
  const loaded = call.secrets === undefined ? WITHOUT_SECRETS : await call.secrets
  if (!loaded.ok) return askOrFail(ports, call, loaded.error, terms.request)
  if (terms.signal.aborted) return 'cut'
  terms.progress.secrets = loaded.value
  const { callerToken } = terms.request
  const sending = { call, callerToken, loaded: loaded.value, ...terms }
  const { mask, sent } = await sendWithSecrets(ports, upstreams, sending)
  if (!sent.ok) {
    if (sent.error === 'cut') return 'cut'
    const { missing } = sent.error
    if (missing !== undefined) {
      const failure = { code: 'secret_missing', detail: sent.error.detail, missing } as const
      return askOrFail(ports, call, failure, terms.request)
    }
    // A hook writes its own failure texts, and these may quote an upstream's answer.
    const failure = warnWorkDone(sent.error, call.skill.method)
    return err({ ...failure, detail: mask(failure.detail) })
  }
  terms.progress.received = { response: sent.value, mask }
  const started = await startAnyJob(ports, upstreams, { ...sending, response: sent.value, mask })
  if (started !== undefined) return started
  const { capabilities, room } = terms
  const nowMs = ports.clock.nowMs()
  const sentSecrets = loaded.value.values.size > 0
  const { args, callId, skill } = call
  const how = { args, callId, capabilities, mask, nowMs, sentSecrets }
  const checked = checkResult(ports, sent.value, skill, how)
  if (checked.ok && checked.value.outside === true) {
    ports.log.note('warn', 'answer-outside-schema', { callId, skillId: skill.skillId })
  }
  return checked.ok
    ? placeAnswer(ports, checked.value, { call, response: sent.value, room })
    : checked
}

const importAsking = loadOnce(() => import('./ask-for-secrets.ts'))

/** Calls with all their secrets load no code for links. */
async function askOrFail(
  ports: ExecuteNeeds,
  call: RunningCall,
  failure: SecretsFailure,
  request: RunTerms['request'],
): Promise<RunEnd> {
  const { askForSecrets } = await importAsking()
  return askForSecrets(ports, call, failure, request)
}

type StartTerms = Omit<JobAsker, 'values'> &
  ReceivedAnswer &
  Pick<RunTerms, 'progress' | 'takesTask'>

/** Undefined if the answer is a result: the skill starts no job, or the answer is a failure. */
async function startAnyJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  terms: StartTerms,
): Promise<RunEnd | undefined> {
  const rule = terms.call.skill.task?.job
  if (rule === undefined) return undefined
  const { startJob } = await importJobs()
  const onBegun = (values: JobValues) => {
    terms.progress.jobValues = values
  }
  const started = await startJob(ports, upstreams, { ...terms, rule, onBegun })
  switch (started.kind) {
    case 'plain':
      return undefined
    case 'cut':
      return 'cut'
    case 'ended':
      return started.result
    case 'begun':
      return { begun: started.job }
    default:
      return started satisfies never
  }
}

/** Few skills start jobs. */
const importJobs = loadOnce(() => import('./start-job.ts'))

const WITHOUT_SECRETS = ok(NO_SECRETS)

/** The reason of the abort: without one, an exception with a stack costs each call 30 µs. */
const OVER = 'over'
