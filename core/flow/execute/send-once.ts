/**
 * Sends one request of a call to one origin, that of the skill or of one of its hooks. The circuit
 * breaker is checked before the send and gets its result. Nothing is sent for a call that has
 * ended. `toSendResult` turns the outcome into the response or a failure in words. Bound by
 * docs/service.md, Outbound safety.
 */
import { TRY_MS_MIN } from '../../call/retry.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../call/upstream.ts'
import { err, type FailureClass, ok, type Result } from '../../errors.ts'
import type { UpstreamListener, UpstreamStep } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import type { StatusFailure } from '../../response/upstream-fault.ts'
import { toFunctionOrigin } from '../../skills/lambda-target.ts'
import type { BreakerEvidence, CircuitBreakers } from './circuit-breakers.ts'
import type { SecretsFailure } from './loaded-secrets.ts'
import { maskListener } from './masked-listener.ts'
import { redactStack } from './redacted-stack.ts'
import type { ReadyCall } from './validate-call.ts'

export type SendNeeds = Pick<Ports, 'clock' | 'log' | 'upstream'>

/** The state that all sends of one call share. */
export type SendTerms = {
  readonly call: Pick<ReadyCall, 'callId' | 'draft' | 'principal' | 'skill'>
  readonly secrets: ReadonlyMap<string, string>
  /** {@link HookContext.callerToken} */
  readonly callerToken?: string | undefined
  /**
   * Masks a value in the call's answer like a secret: a hook got the value in exchange for one, or
   * the request was signed with it.
   */
  conceal(name: string, value: string): void
  /** Masks everything that is concealed so far. */
  mask(text: string): string
  /** Updated with each send, so that a call that is cut has it, too. */
  readonly stats: SendStats
  /** Time at which the deadline cuts the call. */
  readonly cutAtMs: number
  /** Aborts when the call is cut; the reason is {@link TIMED_OUT} if the deadline cut it. */
  readonly signal: AbortSignal
  readonly listener?: UpstreamListener | undefined
}

export const TIMED_OUT = 'timed_out'

export type SendStats = {
  /** True when a request may have reached an upstream. */
  mayHaveSent: boolean
  /** Time of the first send. A send whose target was refused is not included. */
  firstAtMs: number | undefined
  /** Status of the last answer to the call's own request. Requests of hooks are not included. */
  status: number | undefined
  /** Times of the last send, for the record of the call. */
  last: SendTimes | undefined
}

export type SendTimes = {
  readonly host: string
  readonly fromMs: number
  connectedAtMs?: number
  firstByteAtMs?: number
  endedAtMs?: number
}

/** `resting`: a breaker of that origin is open, so nothing was sent. */
type SendOutcome = UpstreamAnswer | { readonly kind: 'resting'; readonly retryAfterSec: number }

/** Never throws: what the adapter throws is logged, and counts for no breaker. */
export async function sendOnce(
  ports: SendNeeds,
  breakers: CircuitBreakers,
  sending: SendTerms,
  request: UpstreamRequest,
): Promise<SendOutcome> {
  const { call, stats, signal } = sending
  if (signal.aborted) return { kind: 'cut' }
  const fromMs = ports.clock.nowMs()
  const { uid } = call.principal
  const { host, origin } = readTarget(request)
  const entered = breakers.enter({ origin, uid }, fromMs)
  if (!entered.allowed) return { kind: 'resting', retryAfterSec: entered.retryAfterSec }
  const before = stats.firstAtMs
  stats.mayHaveSent = true
  stats.firstAtMs ??= fromMs
  const { responseBytesMax, shownHeaders: showHeaders } = call.skill
  const times: SendTimes = { host, fromMs }
  stats.last = times
  const onStep = (step: UpstreamStep, agoMs = 0) =>
    noteStep(times, step, ports.clock.nowMs() - agoMs)
  const timeoutMs = sending.cutAtMs - fromMs
  const { conceal: onSigned } = sending
  const listener =
    request.mcp === undefined || sending.listener === undefined
      ? {}
      : maskListener(sending.listener, (text) => sending.mask(text))
  const common = { responseBytesMax, signal, uid, timeoutMs, showHeaders, onStep, onSigned }
  const limits = { ...listener, ...common }
  let isOurFault = false
  const answer = await ports.upstream.send(request, limits).catch((cause: unknown) => {
    ports.log.note('error', 'upstream-port-threw', { callId: call.callId }, redactStack(cause))
    isOurFault = true
    return { kind: 'unreachable', detail: 'failed at the gateway', hasPartialAnswer: true } as const
  })
  // To a refused target nothing was sent.
  if (answer.kind === 'refused_target') stats.firstAtMs = before
  const nowMs = ports.clock.nowMs()
  times.endedAtMs = nowMs
  entered.done(nowMs, isOurFault ? 'nothing' : toEvidence(answer, signal, nowMs - fromMs))
  return answer
}

/** Notes when a step of a send took place. */
export function noteStep(times: SendTimes, step: UpstreamStep, atMs: number): void {
  if (step === 'connected') times.connectedAtMs = atMs
  else times.firstByteAtMs = atMs
}

/** A failing function says nothing about the others behind the same host of AWS. */
function readTarget({ lambda, url }: UpstreamRequest) {
  const authority = readAuthority(url)
  return lambda === undefined ? authority : { ...authority, origin: toFunctionOrigin(lambda) }
}

/**
 * Cuts origin and host out of a URL by hand: the endpoint was checked before, and parsing it again
 * would cost more time than a hold. `host` leaves out the user and password that a URL may have.
 */
function readAuthority(url: string): { readonly origin: string; readonly host: string } {
  const from = url.indexOf('://') + 3
  if (from <= 3) return { origin: url, host: url }
  let to = from
  while (to < url.length && !isAuthorityEnd(url.charCodeAt(to))) to += 1
  const authority = url.slice(from, to)
  return { origin: url.slice(0, to), host: authority.slice(authority.lastIndexOf('@') + 1) }
}

/** True for a slash, a question mark and a hash. */
function isAuthorityEnd(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23
}

/**
 * Returns what the end of a send says about the upstream. A cut send is evidence only if the
 * deadline cut it after TRY_MS_MIN or more, since a deadline may be short. Only a failed connection
 * is `down`: the arguments of a sent request may have caused its failure.
 */
function toEvidence(answer: UpstreamAnswer, signal: AbortSignal, tookMs: number): BreakerEvidence {
  switch (answer.kind) {
    case 'answered':
      return isFailure(answer.response) ? 'fails' : 'works'
    case 'unreachable':
      if (answer.isGatewayFault === true) return 'nothing'
      return answer.neverConnected === true ? 'down' : 'fails'
    case 'unreadable':
      return 'fails'
    case 'cut':
      return signal.reason === TIMED_OUT && tookMs >= TRY_MS_MIN ? 'fails' : 'nothing'
    case 'too_large':
      return 'works'
    case 'refused_target':
      return 'nothing'
    default:
      return answer satisfies never
  }
}

/**
 * 501 refuses the method of the request, and the upstream works. A function that fails has the
 * status 200.
 */
function isFailure({ failure, status }: UpstreamResponse): boolean {
  return (status >= 500 && status !== 501) || (failure !== undefined && status < 300)
}

export type SendFailure = StatusFailure & {
  readonly code: 'upstream_failed' | SecretsFailure['code']
  readonly detail: string
  /** A login that is over: the user may log in again. */
  readonly missing?: SecretsFailure['missing']
  /** The request was sent, so the upstream may have acted on it. */
  readonly mayHaveRun?: true
}

/** `cut`: the signal aborted first. The code that owns the signal has the reason. */
export type SendResult = Result<UpstreamResponse, SendFailure | 'cut'>

/** The response, or the failure in words for the caller. */
export function toSendResult(answer: SendOutcome): SendResult {
  switch (answer.kind) {
    case 'answered':
      return ok(answer.response)
    case 'cut':
      return err('cut')
    case 'resting': {
      const { retryAfterSec } = answer
      const detail = `The upstream ${writeRestingText(answer)}. Try again after that.`
      return err({ code: 'upstream_failed', upstreamFault: 'unreachable', detail, retryAfterSec })
    }
    case 'unreachable':
      return failUnreachable(answer)
    case 'unreadable':
      return failAfterSend(
        `The upstream answered, but its answer cannot be read: it ${answer.detail}.`,
        'unreadable',
      )
    case 'refused_target':
      return failedSend(`The upstream could not be reached: ${answer.detail}.`, 'unreachable')
    case 'too_large':
      return failAfterSend(
        `The upstream's answer is larger than ${answer.bytesMax} bytes. Ask it for less.`,
        'too_large',
      )
    default:
      return answer satisfies never
  }
}

function failUnreachable(answer: SendOutcome & { kind: 'unreachable' }): FailedSend {
  const text = `The upstream could not be reached: it ${answer.detail}.`
  return (answer.neverConnected === true ? failedSend : failAfterSend)(text, 'unreachable')
}

/**
 * Returns a clause that continues "The upstream …", without a full stop, like adapters' details.
 */
export function writeRestingText({ retryAfterSec }: SendOutcome & { kind: 'resting' }): string {
  return `has been failing, so no request is sent to it for ${retryAfterSec} s`
}

export type FailedSend = { readonly ok: false; readonly error: SendFailure }

/** The failure of a request that was sent, so the upstream may have acted on it. */
export function failAfterSend(detail: string, upstreamFault: FailureClass): FailedSend {
  return err({ code: 'upstream_failed', detail, upstreamFault, mayHaveRun: true })
}

function failedSend(detail: string, upstreamFault: FailureClass): FailedSend {
  return err({ code: 'upstream_failed', detail, upstreamFault })
}
