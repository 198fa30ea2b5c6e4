/** Gives credits once for each grant id, inside the caller's transaction. */
import type { GrantAnswer, MicroCredits } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { intAt } from '../database/row.ts'

export type GrantRows = {
  amountOf(uid: string, grantId: string): MicroCredits | undefined
  insert(uid: string, grantId: string, amount: MicroCredits, createdAtMs: number): void
}

export function grantRows(database: Database): GrantRows {
  const find = database.prepare('SELECT amount FROM grants WHERE uid = ? AND grantId = ?')
  const insert = database.prepare(
    'INSERT INTO grants (uid, grantId, amount, createdAtMs) VALUES (?, ?, ?, ?)',
  )
  return {
    amountOf: (uid, grantId) => {
      const row = find.get(uid, grantId)
      return row === undefined ? undefined : intAt(row, 'amount')
    },
    insert: (uid, grantId, amount, createdAtMs) =>
      void insert.run(uid, grantId, amount, createdAtMs),
  }
}

export function grantOnce(database: Database, profiles: ProfileRows) {
  const grants = grantRows(database)
  return (request: Parameters<Ledger['grant']>[0]): GrantAnswer => {
    const { uid, grantId, amount, creditsMax, nowMs } = request
    const profile = profiles.find(uid)
    if (profile === undefined) return { kind: 'no_profile' }
    const standing = grants.amountOf(uid, grantId)
    if (standing !== undefined && standing !== amount) return { kind: 'conflict', amount: standing }
    if (standing !== undefined) return { kind: 'repeated', profile }
    const credits = profile.credits + amount
    if (credits > creditsMax) return { kind: 'over_limit' }
    profiles.setCredits(uid, credits)
    grants.insert(uid, grantId, amount, nowMs)
    return { kind: 'granted', profile: { ...profile, credits } }
  }
}
