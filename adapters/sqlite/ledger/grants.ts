/** Grants and corrections: changes a user's credits once for each grant id, inside the caller's transaction. */
import { isLeaving } from '../../../core/access/user-state.ts'
import { judgeGrant } from '../../../core/ledger/judge-grant.ts'
import type { Grant, GrantAnswer, MicroCredits } from '../../../core/ledger/ledger.ts'
import { GRANTS_PAGE_MAX } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { intAt, optionalTextAt, type Row, textAt } from '../database/row.ts'

/** Takes the reasons out of a page, and tells the archive of these grants again. */
export function grantReasons(database: Database) {
  const page = grantPages(database)
  const clear = database.prepare('UPDATE grants SET reason = NULL WHERE uid = ? AND grantId = ?')
  const tell = database.prepare('INSERT INTO grant_news (uid, grantId) VALUES (?, ?)')
  return (of: Parameters<Ledger['dropReasons']>[0]): string | undefined => {
    const { grants, next } = page(of)
    for (const { grantId, reason } of grants) {
      if (reason === undefined) continue
      clear.run(of.uid, grantId)
      tell.run(of.uid, grantId)
    }
    return next
  }
}

export type GrantRows = {
  amountOf(uid: string, grantId: string): MicroCredits | undefined
  insert(uid: string, grant: Grant): void
}

export function grantRows(database: Database): GrantRows {
  const find = database.prepare('SELECT amount FROM grants WHERE uid = ? AND grantId = ?')
  const insert = database.prepare(
    'INSERT INTO grants (uid, grantId, amount, reason, madeBy, createdAtMs) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const tell = database.prepare('INSERT INTO grant_news (uid, grantId) VALUES (?, ?)')
  return {
    amountOf: (uid, grantId) => {
      const row = find.get(uid, grantId)
      return row === undefined ? undefined : intAt(row, 'amount')
    },
    insert: (uid, { amount, by, createdAtMs, grantId, reason }) => {
      insert.run(uid, grantId, amount, reason ?? null, by ?? null, createdAtMs)
      tell.run(uid, grantId)
    },
  }
}

export function grantOnce(database: Database, profiles: ProfileRows) {
  const grants = grantRows(database)
  return (request: Parameters<Ledger['grant']>[0]): GrantAnswer => {
    const { uid, grantId, amount, by, nowMs, reason } = request
    const profile = profiles.find(uid)
    if (profile === undefined) return { kind: 'no_profile' }
    if (isLeaving(profile)) return { kind: 'leaving' }
    const standing = grants.amountOf(uid, grantId)
    if (standing !== undefined && standing !== amount) return { kind: 'conflict', amount: standing }
    if (standing !== undefined) return { kind: 'repeated', profile }
    const judged = judgeGrant(profile.credits, request)
    if (judged.kind !== 'fits') return judged
    const credits = profile.credits + amount
    profiles.setCredits(uid, credits)
    grants.insert(uid, { grantId, amount, reason, by, createdAtMs: nowMs })
    return { kind: 'granted', profile: { ...profile, credits } }
  }
}

export function grantPages(database: Database) {
  const following = database.prepare(
    'SELECT * FROM grants WHERE uid = ? AND grantId > ? ORDER BY grantId LIMIT ?',
  )
  return ({ uid, after = '', limit }: Parameters<Ledger['grants']>[0]) => {
    const size = Math.min(limit, GRANTS_PAGE_MAX)
    const found = following.all(uid, after, size + 1).map(grantFrom)
    const grants = found.slice(0, size)
    return { grants, next: found.length > size ? grants.at(-1)?.grantId : undefined }
  }
}

export function grantFrom(row: Row): Grant {
  return {
    grantId: textAt(row, 'grantId'),
    amount: intAt(row, 'amount'),
    reason: optionalTextAt(row, 'reason'),
    by: optionalTextAt(row, 'madeBy'),
    createdAtMs: intAt(row, 'createdAtMs'),
  }
}
