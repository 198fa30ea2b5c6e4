/**
 * Makes a call free, whatever becomes of it. Only our own functions may ask (proven by IAM). Bound
 * by docs/service.md, Void: repeatable, and allowed within 60 s of the call.
 *
 *   void before the hold   outcome `refunded (void)` stands; the late hold's own end obeys it
 *   void while it runs     the same, and the hold is released at once; execute sees it and stops
 *   void after `settled`   one transaction: outcome becomes refunded, the credits come back once
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Outcome } from '../../ledger/ledger.ts'
import { VOID_WINDOW_MS } from '../../ledger/limits.ts'
import type { Ports } from '../../ports.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'log' | 'profiles'>

/** Refuses with `conflict` when the call was placed more than `windowMs` (60 s unless told) ago. */
export async function voidCall(
  ports: Needs,
  what: {
    readonly uid: string
    readonly callId: string
    readonly reason: 'void' | 'cancelled'
    readonly windowMs?: number
  },
): Promise<Result<Outcome>> {
  const { windowMs = VOID_WINDOW_MS, ...call } = what
  const nowMs = ports.clock.nowMs()
  // What the ledger will show of the call, if it holds by now; nothing is decided by it.
  const hold = (await ports.profiles.read(what.uid))?.holds[what.callId]
  const stands = await ports.ledger.decide({
    uid: what.uid,
    callId: what.callId,
    skillId: hold?.skillId ?? '',
    source: hold?.source ?? 'official',
    skillVersion: 0,
    state: 'refunded',
    reason: what.reason,
    amount: hold?.amount ?? 0,
    placement: hold?.placement ?? 0,
    createdAtMs: hold?.heldAtMs ?? nowMs,
    endedAtMs: nowMs,
    durationMs: 0,
    upstreamStatus: undefined,
  })
  if (stands.state === 'refunded') {
    await ports.ledger.release({ uid: what.uid, callId: what.callId, giveBack: true })
    return ok(stands)
  }
  if (nowMs - stands.createdAtMs > windowMs) {
    return refuse(
      'conflict',
      `callId: this call settled more than ${VOID_WINDOW_MS / 1000} s ago and can no longer be voided.`,
    )
  }
  const voided = await ports.ledger.voidSettled({ ...call, nowMs })
  const { uid, callId, reason } = what
  ports.log.note('warn', 'call-voided', { uid, callId, reason, amount: stands.amount })
  return ok(voided ?? stands)
}
