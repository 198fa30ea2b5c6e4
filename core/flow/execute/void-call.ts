/**
 * Makes a call free before it begins, while it runs or after it has ended. Only our own functions
 * may request this (proven by IAM). A void can be repeated, and is allowed within 60 s of its end.
 * Bound by docs/service.md, Void.
 *
 *   void before the hold   writes the outcome `refunded (void)`; a later hold is given back
 *   void while it runs     the same, and the hold is released at once; execute reads it and stops
 *   void after `settled`   one transaction: outcome becomes refunded, the credits come back once
 *   void after it forgave an equal call, or after its answer was given again under an
 *   Idempotency-Key: it stays charged, since the user has an answer
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Outcome } from '../../ledger/ledger.ts'
import { VOID_WINDOW_MS } from '../../ledger/limits.ts'
import type { VoidReason } from '../../ports/ledger.ts'
import type { Ports } from '../../ports/ports.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'log' | 'profiles'>

/**
 * Returns the call's outcome. Refuses with `conflict` a settled call that ended more than
 * `windowMs` (default 60 s) ago. Throws `Fault` if the store fails.
 */
export async function voidCall(
  ports: Needs,
  target: {
    readonly uid: string
    readonly callId: string
    readonly reason: VoidReason
    readonly windowMs?: number
  },
): Promise<Result<Outcome>> {
  const { windowMs = VOID_WINDOW_MS, ...call } = target
  const { uid, callId, reason } = call
  const outcome = await refundUnlessEnded(ports, call)
  if (outcome.state === 'refunded') return ok(outcome)
  const nowMs = ports.clock.nowMs()
  if (nowMs - outcome.endedAtMs > windowMs) {
    return refuse(
      'conflict',
      `callId: this call settled more than ${VOID_WINDOW_MS / 1000} s ago and can no longer be voided.`,
    )
  }
  const voided = await ports.ledger.voidSettled({ ...call, nowMs })
  if (voided?.state === 'settled') return ok(voided)
  ports.log.note('warn', 'call-voided', { uid, callId, reason, amount: outcome.amount })
  return ok(voided ?? outcome)
}

/** Decides that the call is free, if nothing has decided yet. Returns the stored outcome. */
export async function refundUnlessEnded(
  ports: Pick<Needs, 'clock' | 'ledger' | 'profiles'>,
  {
    callId,
    reason,
    uid,
  }: {
    readonly uid: string
    readonly callId: string
    readonly reason: VoidReason
  },
): Promise<Outcome> {
  const nowMs = ports.clock.nowMs()
  // The details of the hold, if there is one, are shown with the outcome. No decision needs them.
  const hold = (await ports.profiles.read(uid))?.holds[callId]
  const outcome = await ports.ledger.decide({
    uid,
    callId,
    skillId: hold?.skillId ?? '',
    source: hold?.source ?? 'official',
    skillVersion: 0,
    state: 'refunded',
    reason,
    amount: hold?.amount ?? 0,
    placement: hold?.placement ?? 0,
    counted: hold?.counted,
    createdAtMs: hold?.heldAtMs ?? nowMs,
    endedAtMs: nowMs,
    durationMs: 0,
    upstreamStatus: undefined,
  })
  if (outcome.state === 'refunded') {
    await ports.ledger.release({ uid, callId, giveBack: true, counted: hold?.counted })
  }
  return outcome
}
