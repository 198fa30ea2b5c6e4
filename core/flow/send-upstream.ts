/**
 * One call's requests to its upstream: secrets filled in, the skill's hook around, breaker before each
 * send, more sends where they may help. Answers what came of it, as a value; moves no money, knows no
 * guard but the signal and the time it is given. Bound by issue 6 part 1 and design section 4.
 *
 *   complete ─▶ hook.before ─▶ breaker ─▶ send ─┬─ answered ─▶ hook.after ─┬─ response
 *                   ▲             ▲             │                          └─ again: once a call
 *                   │             └── pause ◀───┴─ may be sent again         │
 *                   └──────────────────────────────────────────────────────┘
 */
import { retryAfterMs } from '../call/retry.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../call/upstream.ts'
import { err, ok, type Result } from '../errors.ts'
import type { HookContext, Ports } from '../ports.ts'
import type { ReadyCall } from './prepare-call.ts'
import type { UpstreamMemory } from './upstream-memory.ts'

export type SendNeeds = Pick<Ports, 'clock' | 'hooks' | 'ids' | 'log' | 'upstream'>

export type Sending = {
  readonly call: Pick<ReadyCall, 'callId' | 'draft' | 'principal' | 'skill'>
  readonly secrets: ReadonlyMap<string, string>
  /** Told of what a hook got in exchange for secrets: to be masked as they are. */
  conceal(name: string, value: string): void
  /** Filled in as it goes, so that it also tells of a call that was cut. */
  readonly seen: SendsSeen
  /** When the guard cuts the call. */
  readonly cutAtMs: number
  readonly signal: AbortSignal
}

/** What was really sent: a call that fails before it has not reached any upstream. */
export type SendsSeen = {
  firstAtMs: number | undefined
  /** Of the last send that was answered. */
  status: number | undefined
}

export type SendFailure = {
  readonly code: 'upstream_failed' | 'secret_missing'
  readonly detail: string
  readonly retryAfterSec?: number
}

/** `cut`: the signal came first; why is for the caller, who gave it. */
export type Sent = Result<UpstreamResponse, SendFailure | 'cut'>

export async function sendUpstream(
  ports: SendNeeds,
  memory: UpstreamMemory,
  sending: Sending,
): Promise<Sent> {
  const first = await roundTrip(ports, memory, sending)
  if (!first.ok || first.value !== 'again') return asSent(first)
  return asSent(await roundTrip(ports, memory, sending))
}

type RoundTrip = Result<UpstreamResponse | 'again', SendFailure | 'cut'>

/** A hook that asks again a second time has nothing more to mend. */
function asSent(trip: RoundTrip): Sent {
  if (!trip.ok) return trip
  return trip.value === 'again'
    ? failed('The upstream refused its credentials, also when they were made anew.')
    : ok(trip.value)
}

async function roundTrip(
  ports: SendNeeds,
  memory: UpstreamMemory,
  sending: Sending,
): Promise<RoundTrip> {
  const { call, secrets } = sending
  const { hookOptions, pluginHook } = call.skill
  const completed = call.draft.complete(secrets)
  if (!completed.ok) return err({ code: 'secret_missing', detail: `${completed.error.detail}.` })
  if (pluginHook === undefined) return sendWithRetries(ports, memory, sending, completed.value)
  const context: HookContext = {
    uid: call.principal.uid,
    skillId: call.skill.skillId,
    options: hookOptions,
    secrets,
    signal: sending.signal,
    send: (request) => sendOnce(ports, sending, request),
    conceal: sending.conceal,
  }
  const before = await ports.hooks.before(pluginHook, completed.value, context)
  if (!before.ok) return sending.signal.aborted ? err('cut') : failed(before.error.detail)
  const sent = await sendWithRetries(ports, memory, sending, before.value)
  if (!sent.ok) return sent
  const after = await ports.hooks.after(pluginHook, sent.value, context)
  if (after.ok) return after
  return sending.signal.aborted ? err('cut') : failed(after.error.detail)
}

async function sendWithRetries(
  ports: SendNeeds,
  memory: UpstreamMemory,
  sending: Sending,
  request: UpstreamRequest,
): Promise<Sent> {
  const { call, cutAtMs, seen, signal } = sending
  const origin = originOf(request.url)
  for (let sends = 1; ; sends += 1) {
    const entered = memory.enter(origin, ports.clock.nowMs())
    if (!entered.allowed) return resting(entered.retryAfterSec)
    seen.firstAtMs ??= ports.clock.nowMs()
    const answer = await sendOnce(ports, sending, request)
    if (answer.kind === 'answered') seen.status = answer.response.status
    // Nothing has left for a target that may not be called.
    if (answer.kind === 'refused_target' && sends === 1) seen.firstAtMs = undefined
    const nowMs = ports.clock.nowMs()
    entered.done(nowMs, isDown(answer, nowMs >= cutAtMs))
    const pauseMs = retryAfterMs({
      answer,
      sends,
      retries: call.skill.retries,
      nowMs,
      cutAtMs,
      jitter: jitterOf(ports),
    })
    if (pauseMs === undefined) return sentOf(answer)
    await ports.clock.sleep(pauseMs, signal)
    if (signal.aborted) return err('cut')
  }
}

/** The adapter obeys the signal, and judges each target again: also those that a hook asks for. */
async function sendOnce(
  ports: SendNeeds,
  { call, signal }: Sending,
  request: UpstreamRequest,
): Promise<UpstreamAnswer> {
  if (signal.aborted) return { kind: 'cut' }
  const limits = { responseBytesMax: call.skill.responseBytesMax, signal }
  return ports.upstream.send(request, limits).catch((cause: unknown) => {
    ports.log.note('error', 'upstream-port-threw', { callId: call.callId }, cause)
    return { kind: 'unreachable' as const, detail: 'failed at the gateway' }
  })
}

/** Of a URL that was made from a checked endpoint; parsing it once more would cost more than a hold. */
function originOf(url: string): string {
  return /^[^:]+:\/\/[^/?#]*/.exec(url)?.[0] ?? url
}

/** Down, for the breaker: what says nothing of the upstream (a caller who left, a body too large) is no failure. */
function isDown(answer: UpstreamAnswer, isGuardOver: boolean): boolean {
  switch (answer.kind) {
    case 'answered':
      return answer.response.status >= 500 && answer.response.status !== 501
    case 'unreachable':
      return true
    case 'cut':
      return isGuardOver
    case 'refused_target':
    case 'too_large':
      return false
    default:
      return answer satisfies never
  }
}

function sentOf(answer: UpstreamAnswer): Sent {
  switch (answer.kind) {
    case 'answered':
      return ok(answer.response)
    case 'cut':
      return err('cut')
    case 'refused_target':
    case 'unreachable':
      return failed(`The upstream could not be reached: ${answer.detail}.`)
    case 'too_large':
      return failed(
        `The upstream's answer is larger than ${answer.bytesMax} bytes. Ask it for less.`,
      )
    default:
      return answer satisfies never
  }
}

function resting(retryAfterSec: number): Sent {
  const detail = `The upstream has been failing and is left alone for ${retryAfterSec} s. Try again after that.`
  return err({ code: 'upstream_failed', detail, retryAfterSec })
}

function failed(detail: string): { readonly ok: false; readonly error: SendFailure } {
  return err({ code: 'upstream_failed', detail })
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 0 ≤ jitter < 1, from the one source of randomness that there is. */
function jitterOf({ ids }: Pick<Ports, 'ids'>): number {
  return Math.max(0, BASE64URL.indexOf(ids.token(1).slice(0, 1))) / BASE64URL.length
}
