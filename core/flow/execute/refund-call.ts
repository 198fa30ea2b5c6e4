/**
 * A call that has no result: its credits go back first, then its caller is told why. Two reasons:
 * something failed, or the upstream asks the caller's client for more before it can answer. Bound
 * by docs/service.md, Order of a call, and ADR 0027.
 */
import type { CallCredits } from '../../call/execute.ts'
import { INPUT_REQUIRED, type InputAsked } from '../../call/input-required.ts'
import type { Refusal } from '../../errors.ts'
import { creditsOf, logCall, placed } from './call-summary.ts'
import type { Failure } from './check-result.ts'
import {
  type ExecuteNeeds,
  type ExecuteRequest,
  type ExecuteResponse,
  problemAnswer,
} from './execute-request.ts'
import { sealState } from './input-state.ts'
import type { HeldCall } from './reserve-call.ts'
import type { UpstreamSeen } from './run-with-deadline.ts'
import { type CallEnd, settleCall } from './settle-call.ts'

export async function failCall(
  ports: ExecuteNeeds,
  held: HeldCall,
  failure: Failure,
  seen: UpstreamSeen,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { call } = held
  const { requiredCapabilities, ...refusal } = failure
  const ended = await giveBack(ports, held, seen, failure.code)
  if (ended === 'charged') return problemAnswer(call.callId, CHARGED_ALREADY)
  const more = requiredCapabilities === undefined ? {} : { requiredCapabilities }
  return problemAnswer(call.callId, refusal, { credits: ended.credits, ...more })
}

/**
 * The upstream asks the caller's client first: an end of this call, and a free one. The round that
 * brings the answers is a call of its own, and pays if it completes (ADR 0027).
 */
export async function askBack(
  ports: ExecuteNeeds,
  held: HeldCall,
  { inputRequests, request, requestState }: InputAsked & { readonly request: ExecuteRequest },
  seen: UpstreamSeen,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { call } = held
  const ended = await giveBack(ports, held, seen, INPUT_REQUIRED)
  if (ended === 'charged') return problemAnswer(call.callId, CHARGED_ALREADY)
  const sealed =
    requestState === undefined
      ? {}
      : { requestState: sealState(ports, request, call.record.toolName, requestState) }
  const { skillId, source } = call.skill
  const { callId } = call
  const asked = { resultType: INPUT_REQUIRED, inputRequests, ...sealed } as const
  return { answer: { kind: 'input', body: { callId, skillId, source, ...asked, ...ended } } }
}

/** Writes the refund and its line in the log; `charged`: another attempt of this call id is paid for. */
async function giveBack(
  ports: ExecuteNeeds,
  { call, profile: held }: HeldCall,
  seen: UpstreamSeen,
  code: Failure['code'] | typeof INPUT_REQUIRED,
): Promise<{ readonly credits: CallCredits; readonly durationMs: number } | 'charged'> {
  const price = call.skill.priceMicroCredits
  const durationMs = ports.clock.nowMs() - call.startedAtMs
  const { upstreamStatus } = seen
  const ending: CallEnd = { state: 'refunded', reason: code, upstreamStatus, durationMs }
  const end = await settleCall(ports, placed(call, held), ending).catch((cause: unknown) => {
    // The hold stays and the sweep gives it back: the answer may say so already.
    ports.log.note(
      'error',
      'refund-delayed',
      { callId: call.callId, uid: call.principal.uid },
      cause,
    )
    return { outcome: undefined, profile: { ...held, credits: held.credits + price } }
  })
  if (end.outcome?.state === 'settled') return 'charged'
  const profile = end.profile ?? held
  logCall(ports, call, {
    ...seen,
    durationMs,
    held: end.outcome === undefined ? 0 : price,
    refunded: price,
    remaining: profile.credits,
    // To be asked for input is no error.
    code: code === INPUT_REQUIRED ? undefined : code,
  })
  return { credits: creditsOf(price, price, profile.credits), durationMs }
}

/**
 * Another attempt of this call id succeeded and is paid for; this one's hold is back. As with a hold
 * that another attempt has, the caller must void (ADR 0008): a failure told here would be charged.
 */
const CHARGED_ALREADY: Refusal = {
  code: 'conflict',
  detail: 'call id: another attempt of this call has succeeded and was charged.',
}
