/**
 * Sends one call's request to its upstream: fills in the secrets, runs the skill's hooks around it,
 * and retries where that may help. The end is a value; what a hook throws is a bug and passes
 * through.
 * Moves no money. Its time is bounded by `signal` and `cutAtMs`, which the caller sets. Bound by
 * docs/service.md, Skill config and Outbound safety.
 *
 *   complete ─▶ hooks.before ─▶ send (send-once.ts) ─┬─ answered ─▶ hooks.after ─┬─ response
 *                   ▲             ▲                  │                           └─ again: once a call
 *                   │             └──── pause ◀──────┴─ may be sent again          │
 *                   └──────────────────────────────────────────────────────────────┘
 *
 * Several hooks run in the order of the skill, both before and after. The first that asks for another
 * round gets it: those after it do not see that answer.
 */
import { retryAfterMs } from '../../call/retry.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HookContext, HookFailure } from '../../ports/registry.ts'
import type { SkillHook } from '../../skills/skill.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import {
  afterSend,
  type FailedSend,
  restingText,
  type SendFailure,
  type SendNeeds,
  type SendResult,
  type SendTerms,
  sendOnce,
  sentOf,
} from './send-once.ts'

type Needs = SendNeeds & Pick<Ports, 'hooks' | 'ids'>

/** What the sends of one call share: `retried` counts over both rounds of the hooks. */
type Round = {
  readonly ports: Needs
  readonly breakers: CircuitBreakers
  readonly sending: SendTerms
  retried: number
}

export async function sendUpstream(
  ports: Needs,
  breakers: CircuitBreakers,
  sending: SendTerms,
): Promise<SendResult> {
  const completed = complete(sending)
  if (!completed.ok) return completed
  const round: Round = { ports, breakers, sending, retried: 0 }
  if (sending.call.skill.hooks.length === 0) return sendWithRetries(round, completed.value)
  const first = await roundTrip(round, completed.value)
  if (!first.ok || first.value.kind === 'response') return responseOf(first)
  return responseOf(await roundTrip(round, completed.value))
}

/** The request as the first round would send it: complete, and past the hooks. */
export async function requestToSend(
  ports: Needs,
  breakers: CircuitBreakers,
  sending: SendTerms,
): Promise<Result<UpstreamRequest, SendFailure>> {
  const completed = complete(sending)
  if (!completed.ok) return completed
  const round: Round = { ports, breakers, sending, retried: 0 }
  return runBefore(round, hooksOf(round), completed.value)
}

function complete({ call, secrets }: SendTerms): Result<UpstreamRequest, SendFailure> {
  const completed = call.draft.complete(secrets)
  if (completed.ok) return completed
  return err({ code: 'secret_missing', detail: `${completed.error.detail}.` })
}

/** `again`: a hook asks for another round after this `response`. */
type RoundTrip = Result<
  { readonly kind: 'response' | 'again'; readonly response: UpstreamResponse },
  SendFailure | 'cut'
>

/** A hook in one round. It sees the same context before and after. */
type RunningHook = { readonly name: string; readonly context: HookContext }

async function roundTrip(round: Round, completed: UpstreamRequest): Promise<RoundTrip> {
  const running = hooksOf(round)
  const request = await runBefore(round, running, completed)
  if (!request.ok) return request
  const sent = await sendWithRetries(round, request.value)
  return sent.ok ? runAfter(round, running, sent.value) : sent
}

function hooksOf(round: Round): readonly RunningHook[] {
  const { hooks } = round.sending.call.skill
  return hooks.map((hook) => ({ name: hook.name, context: contextOf(round, hook) }))
}

async function runBefore(
  { ports }: Round,
  running: readonly RunningHook[],
  completed: UpstreamRequest,
): Promise<Result<UpstreamRequest, SendFailure>> {
  let request = completed
  for (const { context, name } of running) {
    const before = await ports.hooks.before(name, request, context)
    if (!before.ok) return hookFailed(before.error)
    request = before.value
  }
  return ok(request)
}

async function runAfter(
  { ports }: Round,
  running: readonly RunningHook[],
  sent: UpstreamResponse,
): Promise<RoundTrip> {
  let response = sent
  for (const { context, name } of running) {
    const after = await ports.hooks.after(name, response, context)
    if (!after.ok) return hookFailed({ ...after.error, mayHaveRun: true })
    if (after.value === 'again') return ok({ kind: 'again', response })
    response = after.value
  }
  return ok({ kind: 'response', response })
}

/**
 * After a second `again` an error of the upstream is passed on. A success that the hook refused is
 * a failure.
 */
function responseOf(trip: RoundTrip): SendResult {
  if (!trip.ok) return trip
  const { kind, response } = trip.value
  if (kind === 'response' || response.status < 200 || response.status > 299) return ok(response)
  const unusable = `The upstream answered ${response.status} twice, and the skill's hook could not use either answer.`
  return afterSend(unusable, 'unreadable')
}

function contextOf({ breakers, ports, sending }: Round, { options }: SkillHook): HookContext {
  const { call, conceal, mask, secrets, signal } = sending
  return {
    uid: call.principal.uid,
    skillId: call.skill.skillId,
    options,
    secrets,
    signal,
    send: async (request) => {
      const sent = await sendOnce(ports, breakers, sending, request)
      return sent.kind === 'resting' ? { kind: 'unreachable', detail: restingText(sent) } : sent
    },
    conceal,
    mask,
  }
}

async function sendWithRetries(round: Round, request: UpstreamRequest): Promise<SendResult> {
  const { breakers, ports, sending } = round
  const { call, cutAtMs, stats, signal } = sending
  let before: UpstreamAnswer | undefined
  for (;;) {
    const answer = await sendOnce(ports, breakers, sending, request)
    // The breaker opened between retries. The upstream's last answer explains more than a wait.
    if (answer.kind === 'resting') return sentOf(before ?? answer)
    if (answer.kind === 'answered') {
      stats.status = answer.response.status
      // The common case, kept free of drawing a random pause.
      if (stats.status < 400) return sentOf(answer)
    }
    const pauseMs = retryAfterMs({
      answer,
      sends: round.retried + 1,
      retries: call.skill.retries,
      nowMs: ports.clock.nowMs(),
      cutAtMs,
      jitter: jitterOf(ports),
    })
    if (pauseMs === undefined) return sentOf(answer)
    await ports.clock.sleep(pauseMs, signal)
    round.retried += 1
    before = answer
  }
}

function hookFailed(failure: HookFailure & Pick<SendFailure, 'mayHaveRun'>): FailedSend {
  return err({ code: 'upstream_failed', ...failure })
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 0 ≤ jitter < 1, drawn from `Ids`, the only source of randomness that core has. */
function jitterOf({ ids }: Pick<Ports, 'ids'>): number {
  return Math.max(0, BASE64URL.indexOf(ids.token(1).slice(0, 1))) / BASE64URL.length
}
