/**
 * Ends holds that no call ends any more, since each is older than any call: those that charged calls left behind
 * leave in one write, and the calls behind the others have died. Bound by docs/service.md, Recovery.
 *
 *   outcomes of the oldest holds ─┬─ settled ─▶ one release for all of them, which moves no money
 *                                 └─ else ─▶ outcome refunded (crashed), unless one stands ─▶ release
 * The user's next hold takes a leftover out at the same time: each removes it once, by its number, and gives nothing
 * back. Dies in between: the next call or the next sweep does the rest.
 */
import { standingNow } from '../../ledger/find-leftovers.ts'
import type { Hold, Leftover, Profile } from '../../ledger/ledger.ts'
import { STALE_HOLD_MS } from '../../ledger/limits.ts'
import type { Ports } from '../../ports.ts'
import { settleCall } from './settle-call.ts'

type Needs = Pick<Ports, 'clock' | 'ledger' | 'log'>

/** `ended`: how many calls had died. The profile is that after the last write, or the given one. */
export type Healed = { readonly ended: number; readonly profile: Profile }

/** The common case costs no further turn. */
export function hasStaleHold({ holds }: Profile, nowMs: number): boolean {
  return Object.values(holds).some((hold) => isStale(hold, nowMs))
}

function isStale({ heldAtMs }: Hold, nowMs: number): boolean {
  return nowMs - heldAtMs > STALE_HOLD_MS
}

export async function healHolds(ports: Needs, profile: Profile): Promise<Healed> {
  const nowMs = ports.clock.nowMs()
  const stale = Object.entries(profile.holds).filter(([, hold]) => isStale(hold, nowMs))
  if (stale.length === 0) return { ended: 0, profile }
  const { holds, leftovers } = await standingNow(ports, {
    ...profile,
    holds: Object.fromEntries(stale),
  })
  let after = await takeOut(ports, profile, leftovers)
  for (const [callId, hold] of Object.entries(holds)) {
    after = (await endDead(ports, profile.uid, [callId, hold])) ?? after
  }
  return { ended: Object.keys(holds).length, profile: after }
}

/** In one release where the store leaves holds behind; in one for each elsewhere, where several processes may have died. */
async function takeOut(
  { ledger }: Needs,
  profile: Profile,
  leftovers: readonly Leftover[],
): Promise<Profile> {
  const { uid } = profile
  let after = profile
  for (const [at, leftover] of leftovers.entries()) {
    if (after.holds[leftover.callId]?.placement !== leftover.placement) continue
    const rest = leftovers.slice(at + 1)
    const release = { uid, ...leftover, giveBack: false, leftovers: rest }
    after = (await ledger.release(release)) ?? after
  }
  return after
}

async function endDead(
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
