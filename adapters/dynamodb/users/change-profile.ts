/**
 * An administrator's change of a user: profile, entries of lists and identity in one transaction.
 * It does not name holds and credits, so calls continue meanwhile. Bound by ADR 0044.
 *
 *   A: reads edits 4 ──────────────── writes, if edits is 4 ✔ (now 5)
 *   B: reads edits 4 ── writes, if edits is 4 ✘ ── reads 5 ── writes its own fields over A's ✔
 *
 * `addGroups` and `removeGroups` are applied to the profile that each try reads, so two additions at
 * once both stay.
 *
 * Two users take one identity at once: its record refuses the second. Then the second profile's
 * `edits` is increased, so that a late copy of the refused change is refused too. Dying before the
 * write: nothing has changed. Dying after: the change is complete. The token recognises a late copy
 * for ten minutes; after that `edits` refuses it.
 */
import { Fault } from '../../../core/errors.ts'
import { applyProfileChange, type ProfileChange } from '../../../core/ledger/change-profile.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { makeEntryWrites, makeIdentityWrites } from '../records/directory-entries.ts'
import { fromProfileItem, toLowBalanceMember } from '../records/profile-item.ts'
import { IDENTITY_PK, PROFILE_PK, profileKey, USERS_PK } from '../table.ts'

export const CHANGE_PROFILE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem', 'UpdateItem'], keyPrefixes: [PROFILE_PK] },
  { table: 'gateway', actions: ['PutItem', 'DeleteItem'], keyPrefixes: [USERS_PK, IDENTITY_PK] },
]

/**
 * Each failed try means another change of this user; administrators do not make so many at once.
 */
export const CHANGE_TRIES_MAX = 20

/** Resolves to the changed profile; undefined if there is none. */
export async function changeProfile(
  store: DynamoStore,
  uid: string,
  to: ProfileChange,
): ReturnType<Profiles['change']> {
  const table = store.tables.gateway
  for (let tries = 1; tries <= CHANGE_TRIES_MAX; tries += 1) {
    const item = await store.get(table, profileKey(uid), 'consistent')
    if (item === undefined) return undefined
    const before = fromProfileItem(item)
    const after = applyProfileChange(before, to)
    if (after === undefined) return before
    if (after === 'groups_full') return after
    const write = profileWrite(table, item, after)
    const identity = makeIdentityWrites(table, before, after)
    const writes = [write, ...identity, ...makeEntryWrites(table, before, after)]
    const answer = await store.transact(writes)
    if (answer.kind === 'written') return after
    const [changed, takenIdentity] = answer.refusals
    if (changed !== undefined || identity.length === 0 || takenIdentity === undefined) continue
    // A late copy of the refused transaction could succeed after the other user gives up the
    // identity. Writing the old profile again increases `edits`; if this is refused, another change
    // has done so.
    await store.transact([
      profileWrite(table, item, before),
      ...makeEntryWrites(table, before, before),
    ])
    return 'identity_taken'
  }
  throw new Fault('store_unavailable', 'store: too many changes of one user at once')
}

function profileWrite(table: string, item: Item, after: Profile): TransactWrite {
  const { disabled, groups, identity, list, tier, uid, username } = after
  const lowBalanceAt = toLowBalanceMember(after.lowBalanceAt)['lowBalanceAt']
  const edits = intAt(item, 'edits')
  const optional = Object.entries({ disabled, groups, identity, list, lowBalanceAt })
  const sets = optional.filter(([, value]) => value !== undefined)
  const removes = optional.filter(([, value]) => value === undefined).map(([name]) => `#${name}`)
  const fields = ['username', 'tier', 'edits', ...sets.map(([name]) => name)]
  return {
    table,
    key: profileKey(uid),
    update: [
      `SET ${fields.map((name) => `#${name} = :${name}`).join(', ')}`,
      ...(removes.length === 0 ? [] : [`REMOVE ${removes.join(', ')}`]),
    ].join(' '),
    if: '#edits = :editsBefore',
    values: {
      username,
      tier,
      edits: edits + 1,
      editsBefore: edits,
      ...Object.fromEntries(sets),
    },
  }
}
