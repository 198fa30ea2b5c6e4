/**
 * Sends one call's request to its upstream: fills in the secrets, runs the skill's hooks before and
 * after the send, and retries temporary failures. Failures are values; an exception of a hook is a
 * bug and is not caught. `signal` and `cutAtMs` limit the time. Moves no money. Bound by
 * docs/service.md, Skill config and Outbound safety.
 *
 *   completeRequest ─▶ hooks.before ─▶ send (send-once.ts) ─┬─ answered ─▶ hooks.after ─┬─ response
 *                   ▲             ▲                  │                           └─ again: once a call
 *                   │             └──── pause ◀──────┴─ may be sent again          │
 *                   └──────────────────────────────────────────────────────────────┘
 *
 * Several hooks run in the order of the skill, both before and after. The first hook that requests
 * another round ends this one: later hooks do not see the answer.
 */
import { findRetryPauseMs } from '../../call/retry.ts'
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../call/upstream.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HookContext, HookFailure } from '../../ports/registry.ts'
import type { SkillHook } from '../../skills/skill.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import {
  type FailedSend,
  failAfterSend,
  type SendFailure,
  type SendNeeds,
  type SendResult,
  type SendTerms,
  sendOnce,
  toSendResult,
  writeRestingText,
} from './send-once.ts'

type Needs = SendNeeds & Pick<Ports, 'hooks' | 'ids'>

/** The state that all sends of one call share. `retried` counts the retries of both rounds. */
type Round = {
  readonly ports: Needs
  readonly breakers: CircuitBreakers
  readonly sending: SendTerms
  retried: number
}

/** Returns the response, a failure, or `cut`. Throws only what a hook throws. */
export async function sendUpstream(
  ports: Needs,
  breakers: CircuitBreakers,
  sending: SendTerms,
): Promise<SendResult> {
  const completed = completeRequest(sending)
  if (!completed.ok) return completed
  const round: Round = { ports, breakers, sending, retried: 0 }
  if (sending.call.skill.hooks.length === 0) return sendWithRetries(round, completed.value)
  const first = await roundTrip(round, completed.value)
  if (!first.ok || first.value.kind === 'response') return endRound(first)
  return endRound(await roundTrip(round, completed.value))
}

/** Returns the request that the first round would send, with secrets and after the hooks. */
export async function makeRequestToSend(
  ports: Needs,
  breakers: CircuitBreakers,
  sending: SendTerms,
): Promise<Result<UpstreamRequest, SendFailure>> {
  const completed = completeRequest(sending)
  if (!completed.ok) return completed
  const round: Round = { ports, breakers, sending, retried: 0 }
  return runBefore(round, startHooks(round), completed.value)
}

function completeRequest({ call, secrets }: SendTerms): Result<UpstreamRequest, SendFailure> {
  const completed = call.draft.complete(secrets)
  if (completed.ok) return completed
  return err({ code: 'secret_missing', detail: `${completed.error.detail}.` })
}

/** `again` means that a hook requests another round after this `response`. */
type RoundTrip = Result<
  { readonly kind: 'response' | 'again'; readonly response: UpstreamResponse },
  SendFailure | 'cut'
>

/** A hook in one round. It gets the same context before and after the send. */
type RunningHook = { readonly name: string; readonly context: HookContext }

async function roundTrip(round: Round, completed: UpstreamRequest): Promise<RoundTrip> {
  const running = startHooks(round)
  const request = await runBefore(round, running, completed)
  if (!request.ok) return request
  const sent = await sendWithRetries(round, request.value)
  return sent.ok ? runAfter(round, running, sent.value) : sent
}

function startHooks(round: Round): readonly RunningHook[] {
  const { hooks } = round.sending.call.skill
  return hooks.map((hook) => ({ name: hook.name, context: toContext(round, hook) }))
}

async function runBefore(
  { ports }: Round,
  running: readonly RunningHook[],
  completed: UpstreamRequest,
): Promise<Result<UpstreamRequest, SendFailure>> {
  let request = completed
  for (const { context, name } of running) {
    const before = await ports.hooks.before(name, request, context)
    if (!before.ok) return failHook(before.error)
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
    if (!after.ok) return failHook({ ...after.error, mayHaveRun: true })
    if (after.value === 'again') return ok({ kind: 'again', response })
    response = after.value
  }
  return ok({ kind: 'response', response })
}

/**
 * Returns the result of the last round. If a hook requests one more round, the call ends: an error
 * of the upstream is passed on, and a success becomes a failure, because the hook cannot use it.
 */
function endRound(trip: RoundTrip): SendResult {
  if (!trip.ok) return trip
  const { kind, response } = trip.value
  if (kind === 'response' || response.status < 200 || response.status > 299) return ok(response)
  const unusable = `The upstream answered ${response.status} twice, and the skill's hook could not use either answer.`
  return failAfterSend(unusable, 'unreadable')
}

function toContext({ breakers, ports, sending }: Round, { options }: SkillHook): HookContext {
  const { call, callerToken, conceal, mask, secrets, signal } = sending
  return {
    uid: call.principal.uid,
    skillId: call.skill.skillId,
    options,
    secrets,
    callerToken,
    signal,
    send: async (request) => {
      const sent = await sendOnce(ports, breakers, sending, request)
      return sent.kind === 'resting'
        ? { kind: 'unreachable', detail: writeRestingText(sent) }
        : sent
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
    // The breaker opened between two tries. The upstream's last answer is more useful than "wait".
    if (answer.kind === 'resting') return toSendResult(before ?? answer)
    if (answer.kind === 'answered') {
      stats.status = answer.response.status
      // Return early: most answers are successes, and a random pause costs time.
      if (stats.status < 400) return toSendResult(answer)
    }
    const pauseMs = findRetryPauseMs({
      answer,
      sends: round.retried + 1,
      retries: call.skill.retries,
      nowMs: ports.clock.nowMs(),
      cutAtMs,
      jitter: drawJitter(ports),
    })
    if (pauseMs === undefined) return toSendResult(answer)
    await ports.clock.sleep(pauseMs, signal)
    round.retried += 1
    before = answer
  }
}

function failHook(failure: HookFailure & Pick<SendFailure, 'mayHaveRun'>): FailedSend {
  return err({ code: 'upstream_failed', ...failure })
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Draws 0 ≤ jitter < 1 from `Ids`, the only source of randomness in core. */
function drawJitter({ ids }: Pick<Ports, 'ids'>): number {
  return Math.max(0, BASE64URL.indexOf(ids.token(1).slice(0, 1))) / BASE64URL.length
}
