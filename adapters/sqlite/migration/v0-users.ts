/** Credits and tiers of the earlier service, and the one transaction that moves an amount. */
import { isLeaving } from '../../../core/access/user-state.ts'
import { textOfIdentifier } from '../../../core/json/identifier-text.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { V0Move, V0User, V0Value } from '../../../core/ledger/v0.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { grantRows } from '../ledger/grants.ts'
import { v0Rows } from './v0-rows.ts'

export function v0Users(database: Database, profiles: ProfileRows) {
  const rows = v0Rows(database)
  const grants = grantRows(database)

  /** Inside a snapshot or write of the caller: all three are of one moment. */
  const userOf = (uid: string): V0User => ({
    profile: profiles.find(uid),
    credits: rows.find('credits', textOfIdentifier(uid))?.value,
    tier: rows.find('tier', textOfIdentifier(uid))?.value,
  })
  /** Gives the amount to the profile that is born, or to the one that is there and has room. */
  const receive = (profile: Profile | undefined, { amount, birth, creditsMax }: V0Move) => {
    if (birth !== undefined) return profiles.insert(birth)
    if (profile === undefined || isLeaving(profile)) return false
    if (profile.credits + amount > creditsMax) return false
    profiles.setCredits(profile.uid, profile.credits + amount)
    profiles.setMoved(profile.uid, true)
    return true
  }
  return {
    userOf,
    /**
     * False, and nothing is written, when the amount has changed since it was read, was moved
     * before, or has no receiver.
     */
    move: (move: V0Move): boolean => {
      const { amount, moveId, nowMs, rest, expected, uid } = move
      const { credits, profile } = userOf(uid)
      if (!isSame(credits, expected) || grants.amountOf(uid, moveId) !== undefined) return false
      if (!receive(profile, move)) return false
      rows.put({ kind: 'credits', name: textOfIdentifier(uid), value: rest, moved: false })
      grants.insert(uid, { grantId: moveId, amount, reason: undefined, createdAtMs: nowMs })
      return true
    },
    watch: profiles.setMoved,
  }
}

function isSame(a: V0Value | undefined, b: V0Value): boolean {
  if (a === undefined || a.kind === 'other' || b.kind === 'other') return false
  return a.kind === b.kind && a.text === b.text
}
