/**
 * users:{facet}/{name}{uid}, a user as an entry of a list, and identity:{identity}, the owner of an
 * external identity. The transaction that writes the profile also writes these, so neither exists
 * without the other. Bound by ADR 0044.
 */
import {
  type Facet,
  type ListedUser,
  listFacets,
  toListedUser,
  toUserPlace,
} from '../../../core/access/user-directory.ts'
import { foldIdentity } from '../../../core/access/user-names.ts'
import { USER_STATES } from '../../../core/access/user-state.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import { type Item, intAt, optionalTextAt, textAt, textsAt, wordAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import { identityKey, type Key, listedUserKey } from '../table.ts'

/** The condition that no other user's record is replaced or removed. */
const IF_OWN = 'attribute_not_exists(#pk) OR #uid = :uid'

/** The writes that replace the entries of `before`, if any, with those of `after`. */
export function makeEntryWrites(
  table: string,
  before: Profile | undefined,
  after: Profile,
): readonly TransactWrite[] {
  const { uid } = after
  const old = before === undefined ? [] : listKeys(before)
  const now = listKeys(after)
  const removed = old.filter((key) => !now.some((one) => isSameKey(one, key)))
  const own = { table, if: IF_OWN, values: { uid } }
  return [
    ...removed.map((key) => ({ ...own, remove: key })),
    ...now.map((key) => ({ ...own, put: { ...key, ...toListedUser(after) } })),
  ]
}

/** The put of a new owner is first: if it is refused, another user has the identity. */
export function makeIdentityWrites(
  table: string,
  before: Profile,
  after: Profile,
): readonly TransactWrite[] {
  const { uid } = after
  const own = { table, if: IF_OWN, values: { uid } }
  const [old, now] = [before.identity, after.identity].map((identity) =>
    identity === undefined ? undefined : identityKey(foldIdentity(identity)),
  )
  const put = now === undefined ? [] : [{ ...own, put: { ...now, uid } }]
  const isLeft = old !== undefined && (now === undefined || !isSameKey(old, now))
  return isLeft ? [...put, { ...own, remove: old }] : put
}

export function fromListedUserItem(item: Item): ListedUser {
  const identity = optionalTextAt(item, 'identity')
  return {
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    tier: textAt(item, 'tier'),
    state: wordAt(item, 'state', USER_STATES),
    ...(identity === undefined ? {} : { identity }),
    ...(item['groups'] === undefined ? {} : { groups: textsAt(item, 'groups') }),
    createdAtMs: intAt(item, 'createdAtMs'),
  }
}

function listKeys(profile: Profile): readonly Key[] {
  return listFacets(profile).map((facet: Facet) => listedUserKey(facet, toUserPlace(profile)))
}

function isSameKey(a: Key, b: Key): boolean {
  return a.pk === b.pk && a.sk === b.sk
}
