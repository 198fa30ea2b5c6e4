/**
 * An administrator's change of a user: profile, entries of lists and identity in one transaction. Holds
 * and credits are not named, so calls go on meanwhile. Bound by ADR 0044.
 *
 *   A: reads edits 4 ──────────────── writes, if edits is 4 ✔ (now 5)
 *   B: reads edits 4 ── writes, if edits is 4 ✘ ── reads 5 ── writes its own fields over A's ✔
 *
 * Two users take one identity at once: its record refuses the second, whose `edits` are moved on, so
 * that no late copy of the refused change is carried out. Dying before the write: nothing has changed; after
 * it: everything has. A late copy is recognised by its token, and after that by `edits`.
 */
import { Fault } from '../../../core/errors.ts'
import {
  type ChangedProfile,
  changedProfile,
  type ProfileChange,
} from '../../../core/ledger/change-profile.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { entryWrites, identityWrites } from '../records/directory-entries.ts'
import { lowBalanceItem, profileFrom } from '../records/profile-item.ts'
import { IDENTITY_PK, PROFILE_PK, profileKey, USERS_PK } from '../table.ts'

export const CHANGE_PROFILE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem', 'UpdateItem'], keyPrefixes: [PROFILE_PK] },
  { table: 'gateway', actions: ['PutItem', 'DeleteItem'], keyPrefixes: [USERS_PK, IDENTITY_PK] },
]

/** Each try is lost to a change that another made; administrators do not make so many at once. */
export const CHANGE_TRIES_MAX = 20

export async function changeProfile(
  store: DynamoStore,
  uid: string,
  to: ProfileChange,
): Promise<ChangedProfile | 'identity_taken' | undefined> {
  const table = store.tables.gateway
  for (let tries = 1; tries <= CHANGE_TRIES_MAX; tries += 1) {
    const item = await store.get(table, profileKey(uid), 'consistent')
    if (item === undefined) return undefined
    const before = profileFrom(item)
    const after = changedProfile(before, to)
    if (after === undefined) return before
    const write = profileWrite(table, item, after)
    const identity = identityWrites(table, before, after)
    const writes = [write, ...identity, ...entryWrites(table, before, after)]
    const answer = await store.transact(writes)
    if (answer.kind === 'written') return after
    const [changed, takenIdentity] = answer.refusals
    if (changed !== undefined || identity.length === 0 || takenIdentity === undefined) continue
    // A copy of the refused transaction would be met once the other user gives the identity up. The same
    // profile again moves `edits` on; where this is refused, another change has done so.
    await store.transact([profileWrite(table, item, before), ...entryWrites(table, before, before)])
    return 'identity_taken'
  }
  throw new Fault('store_unavailable', 'store: too many changes of one user at once')
}

function profileWrite(table: string, item: Item, after: Profile): TransactWrite {
  const { disabled, groups, identity, list, tier, uid, username } = after
  const lowBalanceAt = lowBalanceItem(after.lowBalanceAt)['lowBalanceAt']
  const edits = intAt(item, 'edits')
  const maybe = Object.entries({ disabled, groups, identity, list, lowBalanceAt })
  const sets = maybe.filter(([, value]) => value !== undefined)
  const removes = maybe.filter(([, value]) => value === undefined).map(([name]) => `#${name}`)
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
