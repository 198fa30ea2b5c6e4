/**
 * Ends a call that has no result: first the credits are given back, then the caller gets the
 * reason. The reason is a failure, or questions of the upstream for the caller's client. Bound by
 * docs/service.md, Order of a call, and ADR 0027.
 */
import type { CallCredits } from '../../call/execute.ts'
import { EXCERPT_TTL_MS } from '../../call/limits.ts'
import type { Refusal } from '../../errors.ts'
import { INPUT_REQUIRED, type InputQuestions } from '../../response/input-required.ts'
import { logCall, toCallCredits, toPlacedCall } from './call-summary.ts'
import type { CallFailure } from './check-result.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  toProblemAnswer,
} from './execute-request.ts'
import { sealState } from './input-state.ts'
import type { HeldCall } from './reserve-call.ts'
import type { UpstreamStats } from './run-with-deadline.ts'
import { type CallEnd, settleCall } from './settle-call.ts'

/** Refunds a failed call and returns its problem. Never throws for a failure of the store. */
export async function failCall(
  ports: ExecuteNeeds,
  held: HeldCall,
  failure: CallFailure,
  stats: UpstreamStats,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { call } = held
  const { excerpt, link, requiredCapabilities, ...refusal } = failure
  const ended = await giveBack(ports, held, stats, failure.code)
  if (ended === 'charged') return toProblemAnswer(call.callId, CHARGED_ALREADY)
  const more = {
    ...(requiredCapabilities === undefined ? {} : { requiredCapabilities }),
    ...(link === undefined ? {} : { link }),
  }
  const answer = toProblemAnswer(call.callId, refusal, { credits: ended.credits, ...more })
  if (!held.keepsExcerpt || excerpt === undefined || excerpt === '') return answer
  return { ...answer, after: [() => keepExcerpt(ports, call, excerpt)] }
}

/** Runs after the answer has been sent. Never throws: the excerpt is only for administrators. */
async function keepExcerpt(
  ports: ExecuteNeeds,
  { callId, principal: { uid } }: HeldCall['call'],
  text: string,
): Promise<void> {
  const expiresAtMs = ports.clock.nowMs() + EXCERPT_TTL_MS
  await ports.callExcerpts.put({ uid, callId, text, expiresAtMs }).catch((cause: unknown) => {
    ports.log.note('warn', 'excerpt-not-kept', { callId, uid }, cause)
  })
}

/**
 * Refunds the call and passes the upstream's questions on to the caller's client. This call is
 * free. The call that brings the answers is a new one, and is charged if it succeeds (ADR 0027).
 */
export async function returnQuestions(
  ports: ExecuteNeeds,
  held: HeldCall,
  { inputRequests, request, requestState }: InputQuestions & { readonly request: ExecuteRequest },
  stats: UpstreamStats,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { call } = held
  const ended = await giveBack(ports, held, stats, INPUT_REQUIRED)
  if (ended === 'charged') return toProblemAnswer(call.callId, CHARGED_ALREADY)
  const sealing = { body: request.body, sealingKey: call.principal.sealingKey }
  const sealed =
    requestState === undefined
      ? {}
      : { requestState: sealState(ports, sealing, call.record.toolName, requestState) }
  const { skillId, source } = call.skill
  const { callId } = call
  const questions = { resultType: INPUT_REQUIRED, inputRequests, ...sealed } as const
  return { answer: { kind: 'input', body: { callId, skillId, source, ...questions, ...ended } } }
}

/** Writes the refund and its log line. `charged`: another attempt of this call id was charged. */
async function giveBack(
  ports: ExecuteNeeds,
  heldCall: HeldCall,
  stats: UpstreamStats,
  code: CallFailure['code'] | typeof INPUT_REQUIRED,
): Promise<{ readonly credits: CallCredits; readonly durationMs: number } | 'charged'> {
  const { call, profile: profileAtHold } = heldCall
  const price = call.skill.priceMicroCredits
  const durationMs = ports.clock.nowMs() - call.startedAtMs
  const { upstreamStatus } = stats
  const ending: CallEnd = { state: 'refunded', reason: code, upstreamStatus, durationMs }
  const end = await settleCall(ports, toPlacedCall(heldCall, stats, durationMs), ending).catch(
    (cause: unknown) => {
      // The sweep gives the hold back later, so the answer may already say that it is refunded.
      ports.log.note(
        'error',
        'refund-delayed',
        { callId: call.callId, uid: call.principal.uid },
        cause,
      )
      const credits = profileAtHold.credits + price
      return { outcome: undefined, profile: { ...profileAtHold, credits } }
    },
  )
  if (end.outcome?.state === 'settled') return 'charged'
  const profile = end.profile ?? profileAtHold
  const line = {
    durationMs,
    held: end.outcome === undefined ? 0 : price,
    refunded: price,
    remaining: profile.credits,
    // Questions for the client are no error.
    code: code === INPUT_REQUIRED ? undefined : code,
  }
  logCall(ports, call, line, stats)
  return { credits: toCallCredits(price, price, profile.credits), durationMs }
}

/**
 * Another attempt of this call id succeeded and was charged, and the hold of this attempt is
 * released. A plain failure would leave the user charged; on a conflict the caller voids the call,
 * as it does when another attempt has the hold (docs/design/ledger.md#order-of-writes).
 */
const CHARGED_ALREADY: Refusal = {
  code: 'conflict',
  detail: 'call id: another attempt of this call has succeeded and was charged.',
}
