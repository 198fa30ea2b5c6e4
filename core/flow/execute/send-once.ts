/**
 * One send of a call to one origin, the skill's own or one of its hook: the breaker first, then the
 * adapter under the call's signal and limits, then what the end of it says of that origin. Sends
 * nothing for a call that has ended. Bound by docs/service.md, Outbound safety.
 */
import { TRY_MS_MIN } from '../../call/retry.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../call/upstream.ts'
import type { Ports } from '../../ports.ts'
import type { BreakerEvidence, CircuitBreakers } from './circuit-breakers.ts'
import { redactedStack } from './redacted-stack.ts'
import type { ReadyCall } from './validate-call.ts'

export type SendNeeds = Pick<Ports, 'clock' | 'log' | 'upstream'>

/** One call as all of its sends see it. */
export type SendTerms = {
  readonly call: Pick<ReadyCall, 'callId' | 'draft' | 'principal' | 'skill'>
  readonly secrets: ReadonlyMap<string, string>
  /** Told of what a hook got in exchange for secrets: to be masked as they are. */
  conceal(name: string, value: string): void
  /** Filled in as it goes, so that it also tells of a call that was cut. */
  readonly seen: SendsSeen
  /** When the guard cuts the call. */
  readonly cutAtMs: number
  /** Its reason is {@link TIMED_OUT} when the guard has cut the call. */
  readonly signal: AbortSignal
}

export const TIMED_OUT = 'timed_out'

export type SendsSeen = {
  /** Whether anything may have reached any upstream. */
  asked: boolean
  /** Of the first send, if it was not refused where it was to go. */
  firstAtMs: number | undefined
  /** Of the last answer to the call itself, hooks aside. */
  status: number | undefined
}

/** `resting`: the breaker of that origin is open, so nothing was sent. */
export type SendOutcome =
  | UpstreamAnswer
  | { readonly kind: 'resting'; readonly retryAfterSec: number }

export async function sendOnce(
  ports: SendNeeds,
  breakers: CircuitBreakers,
  sending: SendTerms,
  request: UpstreamRequest,
): Promise<SendOutcome> {
  const { call, seen, signal } = sending
  if (signal.aborted) return { kind: 'cut' }
  const fromMs = ports.clock.nowMs()
  const { uid } = call.principal
  const entered = breakers.enter({ origin: originOf(request.url), uid }, fromMs)
  if (!entered.allowed) return { kind: 'resting', retryAfterSec: entered.retryAfterSec }
  const before = seen.firstAtMs
  seen.asked = true
  seen.firstAtMs ??= fromMs
  const limits = { responseBytesMax: call.skill.responseBytesMax, signal, uid }
  let isOurFault = false
  const answer = await ports.upstream.send(request, limits).catch((cause: unknown) => {
    ports.log.note('error', 'upstream-port-threw', { callId: call.callId }, redactedStack(cause))
    isOurFault = true
    return { kind: 'unreachable', detail: 'failed at the gateway', begun: true } as const
  })
  // Nothing has left for a target that may not be called.
  if (answer.kind === 'refused_target') seen.firstAtMs = before
  const nowMs = ports.clock.nowMs()
  entered.done(nowMs, isOurFault ? 'nothing' : saidBy(answer, signal, nowMs - fromMs))
  return answer
}

/** Of a URL that was made from a checked endpoint; parsing it once more would cost more than a hold. */
function originOf(url: string): string {
  return /^[^:]+:\/\/[^/?#]*/.exec(url)?.[0] ?? url
}

/** A cut speaks against an upstream only if the guard cut it, and had left it some time. */
function saidBy(answer: UpstreamAnswer, signal: AbortSignal, tookMs: number): BreakerEvidence {
  switch (answer.kind) {
    case 'answered':
      return isFailure(answer.response.status) ? 'fails' : 'works'
    case 'unreachable':
      return 'down'
    case 'cut':
      return signal.reason === TIMED_OUT && tookMs >= TRY_MS_MIN ? 'down' : 'nothing'
    case 'too_large':
      return 'works'
    case 'refused_target':
      return 'nothing'
    default:
      return answer satisfies never
  }
}

/** 501 is about the request. */
function isFailure(status: number): boolean {
  return status >= 500 && status !== 501
}
