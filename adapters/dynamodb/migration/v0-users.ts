/**
 * Moves credits:{uid} and tier:{uid} of the earlier service to profile:{uid}. Money leaves the old
 * record and reaches the profile in one transaction. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 */
import { fromIdentifier } from '../../../core/json/identifier-text.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import { toV0View, type V0User } from '../../../core/ledger/v0.ts'
import type { V0Records } from '../../../core/ports/users.ts'
import { toStoredBalance, toStoredCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { makeEntryWrites } from '../records/directory-entries.ts'
import { toGrantItem } from '../records/grant-item.ts'
import {
  fromProfileItem,
  IF_NOT_LEAVING,
  IF_NOT_LEAVING_VALUES,
  toProfileItem,
} from '../records/profile-item.ts'
import { readV0Value, toStoredV0Value } from '../records/v0-item.ts'
import {
  LEDGER_PK,
  PROFILE_PK,
  profileKey,
  USERS_PK,
  V0_CREDITS_PK,
  v0CreditsKey,
  v0TierKey,
} from '../table.ts'

type Move = Parameters<V0Records['move']>[0]

export const MOVE_V0_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [LEDGER_PK, PROFILE_PK, USERS_PK] },
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [V0_CREDITS_PK, PROFILE_PK] },
]

export const WATCH_V0_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] },
]

/** Reads a snapshot: separate reads could see a moved amount in both records, or in neither. */
export async function readV0User(store: DynamoStore, uid: string): Promise<V0User> {
  const old = fromIdentifier(uid)
  const keys = [profileKey(uid), v0CreditsKey(old), v0TierKey(old)]
  const [profile, credits, tier] = await store.snapshot(store.tables.gateway, keys)
  return {
    profile: profile === undefined ? undefined : fromProfileItem(profile),
    credits: credits === undefined ? undefined : readV0Value(credits),
    tier: tier === undefined ? undefined : readV0Value(tier),
  }
}

/** The profile that a move will make; undefined if the earlier service did not know the user. */
export async function findV0Profile(store: DynamoStore, uid: string): Promise<Profile | undefined> {
  return toV0View(uid, await readV0User(store, uid))
}

/**
 * One transaction, so a crash cannot fall between its writes:
 *
 *   credits:{uid}    holds the value that was read  ─▶ the rest after the move
 *   profile:{uid}    is missing, or stays, with room ─▶ created with the amount, or increased by it
 *   ledger:{uid}     has no such grant              ─▶ grant#v0-…
 *   users:…          for a new profile              ─▶ the entries of the new profile
 *
 * Two movers of one amount: the second finds another value, moves nothing and reads again. The
 * earlier service adds credits between read and write: the value differs, so the same happens. If
 * it adds exactly the moved amount, the value that was read is back. That amount is moved too,
 * which is right, because it is new money. A transaction that is carried out late or twice is
 * refused by its own grant. Two creations of a profile: the second finds a profile, reads again and
 * adds any credits to it.
 */
export async function moveV0Credits(store: DynamoStore, move: Move): Promise<boolean> {
  return (await store.transact(moveWrites(store, move))).kind === 'written'
}

function moveWrites(store: DynamoStore, move: Move): readonly TransactWrite[] {
  const { amount, moveId, nowMs, rest, expected, uid } = move
  const table = store.tables.gateway
  return [
    {
      table,
      key: v0CreditsKey(fromIdentifier(uid)),
      update: 'SET #value = :rest',
      if: '#value = :expected',
      values: { rest: toStoredV0Value(rest), expected: toStoredV0Value(expected) },
    },
    profileWrite(store, move),
    {
      table,
      put: toGrantItem(uid, { grantId: moveId, amount, reason: undefined, createdAtMs: nowMs }),
      if: 'attribute_not_exists(#pk)',
    },
    ...(move.birth === undefined ? [] : makeEntryWrites(table, undefined, move.birth)),
  ]
}

function profileWrite(store: DynamoStore, { amount, birth, creditsMax, uid }: Move): TransactWrite {
  const table = store.tables.gateway
  if (birth !== undefined) {
    return { table, put: toProfileItem(birth), if: 'attribute_not_exists(#pk)' }
  }
  return {
    table,
    key: profileKey(uid),
    update: 'SET #credits = #credits + :amount, #v0 = :moved',
    if: `attribute_exists(#pk) AND ${IF_NOT_LEAVING} AND #credits <= :creditsBeforeMax`,
    values: {
      amount: toStoredCredits(amount),
      moved: 'moved',
      creditsBeforeMax: toStoredBalance(creditsMax - amount),
      ...IF_NOT_LEAVING_VALUES,
    },
  }
}

/**
 * Two writers at once: the last one wins. Only an administrator's end of the migration has `on`
 * false.
 */
export async function watchV0User(store: DynamoStore, uid: string, on: boolean): Promise<void> {
  await store.update(store.tables.gateway, {
    key: profileKey(uid),
    set: on ? 'SET #v0 = :moved' : 'REMOVE #v0',
    if: 'attribute_exists(#pk)',
    ...(on ? { values: { moved: 'moved' } } : {}),
  })
}
