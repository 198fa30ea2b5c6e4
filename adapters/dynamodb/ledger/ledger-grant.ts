/**
 * ledger:{uid}/grant#{grantId}: credits given by an administrator, once per grantId, in one
 * transaction with the profile. Bound by docs/service.md, Grants.
 */
import { Fault } from '../../../core/errors.ts'
import type { GrantAnswer, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports.ts'
import { storedCredits } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { creditsAt, type Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { profileFrom } from '../records/profile-item.ts'
import { grantKey, LEDGER_PK, PROFILE_PK, profileKey } from '../table.ts'

type GrantRequest = Parameters<Ledger['grant']>[0]

export const GRANT_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [LEDGER_PK] },
  { table: 'gateway', actions: ['UpdateItem', 'GetItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * Two grants of one id: the record is put once; it refuses the other grant, which learns whether
 * the amounts agree. Two ids at once: DynamoDB makes one wait (`TransactionConflict`, tried again).
 * Dying before: nothing. Dying after: granted; sent again it is `repeated`.
 */
export async function grant(store: DynamoStore, request: GrantRequest): Promise<GrantAnswer> {
  const answer = await store.transact(granting(store, request))
  if (answer.kind === 'written')
    return { kind: 'granted', profile: await profileOf(store, request) }
  const [record, profile] = answer.refusals
  if (record?.old !== undefined) return grantedBefore(store, request, record.old)
  return profile?.old === undefined ? { kind: 'no_profile' } : { kind: 'over_limit' }
}

function granting(
  store: DynamoStore,
  { uid, grantId, amount, creditsMax, nowMs }: GrantRequest,
): readonly TransactWrite[] {
  const table = store.tables.gateway
  // An amount past the limit by itself must be refused at any balance, even at 0.
  const creditsBeforeMax = amount > creditsMax ? -1 : storedCredits(creditsMax - amount)
  const record = { uid, grantId, amount: storedCredits(amount), state: 'granted' }
  return [
    {
      table,
      put: { ...grantKey(uid, grantId), ...record, createdAtMs: nowMs },
      if: 'attribute_not_exists(#pk)',
    },
    {
      table,
      key: profileKey(uid),
      update: 'SET #credits = #credits + :amount',
      if: 'attribute_exists(#pk) AND #credits <= :creditsBeforeMax',
      values: { amount: storedCredits(amount), creditsBeforeMax },
    },
  ]
}

async function grantedBefore(
  store: DynamoStore,
  request: GrantRequest,
  record: Item,
): Promise<GrantAnswer> {
  const amount = creditsAt(record, 'amount')
  if (amount !== request.amount) return { kind: 'conflict', amount }
  return { kind: 'repeated', profile: await profileOf(store, request) }
}

async function profileOf(store: DynamoStore, { uid }: GrantRequest): Promise<Profile> {
  const item = await store.get(store.tables.gateway, profileKey(uid), 'consistent')
  if (item === undefined) throw new Fault('internal', 'grant: its profile is gone')
  return profileFrom(item)
}
