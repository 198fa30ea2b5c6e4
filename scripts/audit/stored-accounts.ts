/**
 * Reads every user's money in a store, one user after the other, while calls may run. Finds users
 * by a Scan, so this is an operator's tool and never part of a request.
 *
 *   read profile ─▶ read ledger ─▶ read profile again: the same ─▶ nothing moved, the sum is exact
 *                                                    └─ another ─▶ once more; too often: `busy`
 *
 * The profile counts all holds that a user ever had (`placed`), so a hold that began and ended in
 * between shows too.
 */
import { isDeepStrictEqual } from 'node:util'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { type Item, textAt } from '../../adapters/dynamodb/client/item.ts'
import { fromGrantItem } from '../../adapters/dynamodb/records/grant-item.ts'
import { fromOutcomeItem } from '../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../adapters/dynamodb/records/profile-item.ts'
import {
  type Key,
  LEDGER_PK,
  ledgerKey,
  PROFILE_PK,
  profileKey,
} from '../../adapters/dynamodb/table.ts'
import type { Account } from '../../core/ledger/audit.ts'
import type { Grant } from '../../core/ledger/ledger.ts'

/** An account with grants as they are stored. */
type StoredAccount = Omit<Account, 'grants'> & { readonly grants: readonly Grant[] }

/** The account, or `busy` for a user whose profile changed during every attempt. */
export type ReadAccount = StoredAccount | { readonly uid: string; readonly busy: true }

/** Most attempts to read a user whose profile keeps changing. */
const ATTEMPTS_MAX = 20

/** Items that one step of the search for users reads. */
const SCAN_STEP = 1_000

export async function* readAccounts(store: DynamoStore): AsyncGenerator<ReadAccount> {
  for (const uid of await findUids(store)) yield await readAccount(store, uid)
}

async function findUids(store: DynamoStore): Promise<string[]> {
  const uids = new Set<string>()
  let after: Key | undefined
  do {
    const { items, next } = await store.scan(store.tables.gateway, {
      filter: 'begins_with(#pk, :profile) OR begins_with(#pk, :ledger)',
      only: '#pk',
      values: { profile: PROFILE_PK, ledger: LEDGER_PK },
      limit: SCAN_STEP,
      after,
    })
    for (const item of items) uids.add(textAt(item, 'pk').replace(/^\w+:/, ''))
    after = next
  } while (after !== undefined)
  return [...uids].sort()
}

async function readAccount(store: DynamoStore, uid: string): Promise<ReadAccount> {
  const table = store.tables.gateway
  const readProfile = () => store.get(table, profileKey(uid), 'consistent')
  let before = await readProfile()
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const where = '#pk = :pk'
    const records = await store.query(table, { where, values: { pk: ledgerKey(uid, '-').pk } })
    const after = await readProfile()
    if (isDeepStrictEqual(after, before)) return toAccount(uid, after, records)
    before = after
  }
  return { uid, busy: true }
}

function toAccount(
  uid: string,
  profile: Item | undefined,
  records: readonly Item[],
): StoredAccount {
  const unreadable: string[] = []
  /** An unreadable record is a finding and does not end the audit. */
  const read = <T>(item: Item, from: (item: Item) => T): T[] => {
    try {
      return [from(item)]
    } catch (cause) {
      unreadable.push(cause instanceof Error ? cause.message : String(cause))
      return []
    }
  }
  const isGrant = (item: Item) => String(item['sk']).startsWith('grant#')
  return {
    uid,
    profile:
      profile === undefined ? undefined : (read(profile, fromProfileItem)[0] ?? UNREADABLE_PROFILE),
    grants: records.filter(isGrant).flatMap((item) => read(item, fromGrantItem)),
    outcomes: records
      .filter((item) => !isGrant(item))
      .flatMap((item) => read(item, fromOutcomeItem)),
    unreadable,
  }
}

/** Stands in for a profile that cannot be read. */
const UNREADABLE_PROFILE = { credits: 0, holds: {} }
