/**
 * GET users:in-debt: the users whose balance is below zero, by uid. The store lists those for whom a
 * correction could pass zero; this reads their balances and leaves out the ones who paid. Bound by
 * docs/admin-api.md, GET users:in-debt.
 */
import { isIdentifier } from '../../access/user-names.ts'
import { readUserState, type UserState } from '../../access/user-state.ts'
import { ok, type Result } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { DEBTS_PAGE_DEFAULT, DEBTS_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import { readProfiles } from './read-profiles.ts'
import { type BalanceView, toBalanceView } from './user-view.ts'

/** A user of a list that is about balances. A deleted user has a pseudonym. */
export type BalanceRow = BalanceView & {
  readonly uid: string
  readonly username: string
  readonly tier: string
  readonly state: UserState
}

export function toBalanceRow(profile: Profile, nowMs: number): BalanceRow {
  const { tier, uid, username } = profile
  return { uid, username, tier, state: readUserState(profile), ...toBalanceView(profile, nowMs) }
}

/**
 * A page reads as many entries as its limit, so it may have fewer users and still a `nextCursor`.
 * Refuses with `malformed` a bad limit or cursor.
 */
export async function listDebts(
  ports: Pick<Ports, 'clock'> & {
    readonly ledger: Pick<Ports['ledger'], 'debtors'>
    readonly profiles: Pick<Ports['profiles'], 'readAll'>
  },
  query: PageQuery,
): Promise<Result<{ users: readonly BalanceRow[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: DEBTS_PAGE_MAX, otherwise: DEBTS_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, (uid) => (isIdentifier(uid) ? uid : undefined))
  if (!place.ok) return place
  const after = place.value === undefined ? {} : { after: place.value }
  const { next, uids } = await ports.ledger.debtors({ limit: limit.value, ...after })
  const profiles = await readProfiles(ports, uids)
  const nowMs = ports.clock.nowMs()
  const users = uids.flatMap((uid) => {
    const profile = profiles.get(uid)
    return profile !== undefined && profile.credits < 0 ? [toBalanceRow(profile, nowMs)] : []
  })
  return ok({ users, ...(next === undefined ? {} : { nextCursor: writeCursor(next) }) })
}
