/**
 * Ends stale holds: holds that are older than any call may run, or past the deadline of their task,
 * so that their calls have died. Bound by docs/service.md, Recovery.
 *
 *   died before the outcome ─▶ outcome refunded (crashed) ─▶ release, credits back
 *   died before the release ─▶ outcome exists ─▶ release; credits back unless it is `settled`
 * A sweep and the user's next call may heal at the same time. Both obey the outcome that was
 * written first, and the release ends the hold once. If the healing process dies in between, the
 * next call or the next sweep does the rest.
 */

import { isStale } from '../../ledger/hold-deadline.ts'
import type { Hold, Profile } from '../../ledger/ledger.ts'
import { JOB_GRACE_MS } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import { settleCall } from './settle-call.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'log'>

/**
 * Answers whether a stale hold must stay for now: that of a job of which its upstream is asked a
 * last time. Only holds with a deadline of their own are asked about.
 */
export type KeepHold = (callId: string, hold: Hold) => Promise<boolean>

/**
 * `ended` is the number of holds that were ended. `profile` is the profile after the last write, or
 * the given profile if there was no write.
 */
export type HealReport = { readonly ended: number; readonly profile: Profile }

/** Tested before each hold, without a promise, since nearly no profile has a stale hold. */
export function hasStaleHold({ holds }: Profile, nowMs: number): boolean {
  return Object.values(holds).some((hold) => isStale(hold, nowMs))
}

/** Ends all stale holds of the user, one after the other. Throws `Fault` if the store fails. */
export async function healHolds(
  ports: Needs,
  profile: Profile,
  mustKeep: KeepHold,
): Promise<HealReport> {
  const nowMs = ports.clock.nowMs()
  const stale = Object.entries(profile.holds).filter(([, hold]) => isStale(hold, nowMs))
  let after = profile
  let ended = 0
  for (const [callId, hold] of stale) {
    if (hold.untilMs !== undefined && (await mustKeep(callId, hold))) continue
    after = (await endHold(ports, profile.uid, [callId, hold])) ?? after
    ended += 1
  }
  return { ended, profile: after }
}

/** For calls of the user: the sweep may still ask about a job, unless it did not for long. */
export function keepHoldsOfJobs({ clock, jobs }: Pick<Ports, 'clock' | 'jobs'>): KeepHold {
  return async (callId, { untilMs = 0 }) =>
    clock.nowMs() <= untilMs + JOB_GRACE_MS && (await jobs.read(callId))?.resultKey !== undefined
}

async function endHold(
  ports: Needs,
  uid: string,
  [callId, hold]: readonly [string, Hold],
): Promise<Profile | undefined> {
  const call = {
    uid,
    callId,
    skillId: hold.skillId,
    source: hold.source,
    skillVersion: 0,
    amount: hold.amount,
    placement: hold.placement,
    counted: hold.counted,
    createdAtMs: hold.heldAtMs,
  }
  const { outcome, profile } = await settleCall(ports, call, {
    state: 'refunded',
    reason: 'crashed',
    upstreamStatus: undefined,
    durationMs: 0,
  })
  ports.log.note('warn', 'hold-healed', {
    uid,
    callId,
    state: outcome.state,
    reason: outcome.reason,
    amount: hold.amount,
  })
  return profile
}
