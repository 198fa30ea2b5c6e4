/**
 * Runs the upstream until it answers or is cut: by the deadline (750 ms before the call's 15 s are over), by a caller that
 * disconnects, or by a void. Returns the result or the failure; moves no money. Bound by
 * docs/service.md, Tool calls.
 */

import type { UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { CallPhases } from '../../ledger/call-facts.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Mask } from '../../response/mask.ts'
import type { SecretPlace, SecretUsed } from '../../secrets/secret.ts'
import { checkResult, type NoResult } from './check-result.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import { budgetOf, type Cut, cutFailure, watchCall } from './cut-call.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { type LoadedSecrets, NO_SECRETS } from './loaded-secrets.ts'
import { redactedStack } from './redacted-stack.ts'
import { sendWithSecrets } from './secrets-of-call.ts'
import { type SendStats, type SendTerms, TIMED_OUT } from './send-once.ts'
import type { ReadyCall } from './validate-call.ts'
import { tellWork } from './work-done.ts'

/** The upstream's part of a call, for the log and the ledger. */
export type UpstreamStats = {
  readonly upstreamStatus: number | undefined
  /** From the first send to the last byte, or to the cut; undefined when nothing was sent. */
  readonly upstreamMs: number | undefined
  readonly upstreamHost: string | undefined
  /** When its last answer was whole, or its last send failed. */
  readonly endedAtMs: number | undefined
  readonly phases: CallPhases
  /** Whose secrets the call took; absent when it needed none, or could not load them. */
  readonly secretsUsed?: readonly SecretUsed[]
}

export type UpstreamRun = {
  readonly result: Result<ToolResult, NoResult>
  readonly stats: UpstreamStats
  /** True when a request may have reached an upstream and taken effect there. */
  readonly mayHaveSent: boolean
  /** The shared secrets that may have reached it, too. */
  readonly sharedSent: readonly SecretPlace[]
  /** Undefined when no answer came to be judged in time. */
  readonly judged: JudgedAnswer | undefined
}

/** A call without its user's profile: nothing here depends on money. */
export type RunningCall = Omit<ReadyCall, 'profile' | 'enteredMinute'>

/** The answer that was judged, and the mask of the call's secrets. */
type JudgedAnswer = { readonly response: UpstreamResponse; readonly mask: Mask }

type RunOutcome = Result<ToolResult, NoResult> | 'cut'

/** Never rejects, and ends by its deadline even if the upstream adapter does not. */
export async function runWithDeadline(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: RunningCall,
  request: ExecuteRequest,
): Promise<UpstreamRun> {
  const cut = new AbortController()
  let why: Cut = TIMED_OUT
  const end = Promise.withResolvers<RunOutcome>()
  const stop = (reason: Cut) => {
    if (!cut.signal.aborted) why = reason
    cut.abort(reason)
    end.resolve('cut')
  }
  const onGone = () => stop('cancelled')
  if (request.gone.aborted) onGone()
  request.gone.addEventListener('abort', onGone, { once: true })
  const budgetMs = budgetOf(ports, call)
  const { alarm = ports.clock.alarm } = request
  const endWatch = watchCall(ports, call, { alarm, budgetMs, stop })
  const stats: SendStats = {
    mayHaveSent: false,
    firstAtMs: undefined,
    status: undefined,
    last: undefined,
  }
  const cutAtMs = ports.clock.nowMs() + budgetMs
  const capabilities = request.body.input?.capabilities ?? NONE
  const taken: Taken = { secrets: NO_SECRETS, judged: undefined }
  const { signal } = cut
  const terms = { capabilities, cutAtMs, signal, stats, taken }
  // A race, since an upstream adapter may be slow to obey the signal. A throw would skip the refund.
  askUpstream(ports, upstreams, call, terms).then(end.resolve, (cause: unknown) =>
    end.resolve(threw(ports, call, cause)),
  )
  const ended = await end.promise
  const { mayHaveSent, firstAtMs, status } = stats
  const result = ended === 'cut' ? err(cutFailure(why, { mayHaveSent, budgetMs })) : ended
  request.gone.removeEventListener('abort', onGone)
  endWatch()
  // Nothing but a hook lives on behind its call, and it must send nothing more.
  if (call.skill.hooks.length > 0) cut.abort(OVER)
  const nowMs = ports.clock.nowMs()
  const upstreamMs = firstAtMs === undefined ? undefined : nowMs - firstAtMs
  const { last } = stats
  const { shared, used } = taken.secrets
  const upstream = {
    upstreamStatus: status,
    upstreamMs,
    upstreamHost: last?.host,
    endedAtMs: last === undefined ? undefined : (last.endedAtMs ?? nowMs),
    phases: upstreamPhases(last, nowMs),
    ...(used.length === 0 ? {} : { secretsUsed: used }),
  }
  const judged = ended === 'cut' ? undefined : taken.judged
  const sharedSent = mayHaveSent ? shared : []
  return { result, stats: upstream, mayHaveSent, sharedSent, judged }
}

/** Of the last send: earlier tries are in the duration only. A step that never came ends at the cut. */
export function upstreamPhases(last: SendStats['last'], nowMs: number): CallPhases {
  if (last === undefined) return {}
  const { connectedAtMs, endedAtMs = nowMs, firstByteAtMs, fromMs } = last
  const connect = (connectedAtMs ?? endedAtMs) - fromMs
  if (connectedAtMs === undefined) return { connect }
  const firstByte = (firstByteAtMs ?? endedAtMs) - connectedAtMs
  if (firstByteAtMs === undefined) return { connect, firstByte }
  return { connect, firstByte, body: endedAtMs - firstByteAtMs }
}

type RunTerms = Pick<SendTerms, 'cutAtMs' | 'signal' | 'stats'> & {
  /** The kinds of questions that the caller's client has declared it can answer. */
  readonly capabilities: JsonObject
  /** Written once they are loaded, so that it holds for a call that was cut, too. */
  readonly taken: Taken
}

type Taken = { secrets: LoadedSecrets; judged: JudgedAnswer | undefined }

/** A caller that declares no capabilities has no client that could be asked. */
const NONE: JsonObject = {}

function threw({ log }: ExecuteNeeds, { callId, skill }: RunningCall, cause: unknown): RunOutcome {
  log.note('error', 'call-threw', { callId, skillId: skill.skillId }, redactedStack(cause))
  return err({ code: 'internal', detail: 'The gateway could not finish the call.' })
}

/** Loading of secrets began beside the hold. A call without them waits for nothing. */
async function askUpstream(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: RunningCall,
  terms: RunTerms,
): Promise<RunOutcome> {
  const loaded = call.secrets === undefined ? NONE_NAMED : await call.secrets
  if (!loaded.ok) return loaded
  if (terms.signal.aborted) return 'cut'
  terms.taken.secrets = loaded.value
  const sending = { call, loaded: loaded.value, ...terms }
  const { mask, sent } = await sendWithSecrets(ports, upstreams, sending)
  if (!sent.ok) {
    if (sent.error === 'cut') return 'cut'
    // A hook writes its own failure texts, and may quote what an upstream answered it.
    const failure = tellWork(sent.error, call.skill.method)
    return err({ ...failure, detail: mask(failure.detail) })
  }
  terms.taken.judged = { response: sent.value, mask }
  const { capabilities } = terms
  const nowMs = ports.clock.nowMs()
  const sentSecrets = loaded.value.values.size > 0
  const { args, skill } = call
  const how = { args, capabilities, mask, nowMs, sentSecrets }
  const checked = checkResult(ports, sent.value, skill, how)
  if (checked.ok && checked.value.outside === true) {
    ports.log.note('warn', 'answer-outside-schema', { callId: call.callId, skillId: skill.skillId })
  }
  return checked
}

const NONE_NAMED = ok(NO_SECRETS)

/** An abort without a reason makes an exception with a stack, which costs each call 30 µs. */
const OVER = 'over'
