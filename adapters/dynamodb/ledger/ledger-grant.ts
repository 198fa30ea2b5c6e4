/**
 * ledger:{uid}/grant#{grantId}: credits given or taken by an administrator, once per grantId, in
 * one transaction with the profile. Bound by docs/service.md, Grants.
 */
import { isBeingDeleted } from '../../../core/access/user-state.ts'
import { Fault } from '../../../core/errors.ts'
import { computeGrantBounds } from '../../../core/ledger/judge-grant.ts'
import type { GrantAnswer, Profile } from '../../../core/ledger/ledger.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import { toStoredBalance } from '../client/credits-codec.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { balanceAt, type Item } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { toGrantItem } from '../records/grant-item.ts'
import { fromProfileItem, IF_NOT_LEAVING, IF_NOT_LEAVING_VALUES } from '../records/profile-item.ts'
import { DEBTS_PK, debtKey, LEDGER_PK, PROFILE_PK, profileKey } from '../table.ts'

type GrantRequest = Parameters<Ledger['grant']>[0]

export const GRANT_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [LEDGER_PK, DEBTS_PK] },
  { table: 'gateway', actions: ['UpdateItem', 'GetItem'], keyPrefixes: [PROFILE_PK] },
]

/**
 * Two grants of one id: the record is put once. The other grant is refused by that record and
 * learns whether the amounts agree. Two ids at once: DynamoDB refuses one with
 * `TransactionConflict`, and it is sent again.
 *
 * deletion:   profile becomes `deleting`; a grant is before it, and stays, or after it, and is
 * refused
 *   correction: balance ≥ floor − amount ✔ ─▶ balance + amount     hold: sees the balance before or
 *   hold:              └─ one item, so one of them is first           after it, and fits that one
 *
 * Debts: only a correction whose floor is below 0 can take the balance below 0. Its transaction also
 * puts the user into the list of debts, so no moment has a debt that the list lacks. The list keeps
 * a user whose debt was paid, because a removal would race the next correction:
 *
 *   list:        reads balance 5 ─────────────────────── removes the entry ✘ the debt is not listed
 *   correction:               balance −3, puts the entry
 *
 * Dying before: nothing is written. Dying after: granted; a repeated request gets `repeated`.
 */
export async function grant(store: DynamoStore, request: GrantRequest): Promise<GrantAnswer> {
  const answer = await store.transact(grantWrites(store, request))
  if (answer.kind === 'written')
    return { kind: 'granted', profile: await readProfile(store, request) }
  const [record, profile] = answer.refusals
  if (record?.old !== undefined) return answerRepeated(store, request, record.old)
  if (profile?.old === undefined) return { kind: 'no_profile' }
  if (isBeingDeleted(fromProfileItem(profile.old))) return { kind: 'leaving' }
  if (request.amount >= 0) return { kind: 'over_limit' }
  return { kind: 'under_limit', credits: balanceAt(profile.old, 'credits') }
}

function grantWrites(store: DynamoStore, request: GrantRequest): readonly TransactWrite[] {
  const { uid, grantId, amount, by, nowMs, reason } = request
  const table = store.tables.gateway
  const bounds = computeGrantBounds(request)
  return [
    {
      table,
      put: toGrantItem(uid, { grantId, amount, reason, by, createdAtMs: nowMs }),
      if: 'attribute_not_exists(#pk)',
    },
    {
      table,
      key: profileKey(uid),
      update: 'SET #credits = #credits + :amount',
      if: `attribute_exists(#pk) AND ${IF_NOT_LEAVING} AND #credits ${bounds.kind === 'at-most' ? '<=' : '>='} :bound`,
      values: {
        amount: toStoredBalance(amount),
        bound: toStoredBalance(bounds.credits),
        ...IF_NOT_LEAVING_VALUES,
      },
    },
    ...listDebtWrites(table, request),
  ]
}

function listDebtWrites(
  table: string,
  { amount, creditsMin = 0, uid }: GrantRequest,
): readonly TransactWrite[] {
  if (amount >= 0 || creditsMin >= 0) return []
  // Two corrections at once put the same entry.
  const isOwn = 'attribute_not_exists(#pk) OR #uid = :uid'
  return [{ table, put: { ...debtKey(uid), uid }, if: isOwn, values: { uid } }]
}

async function answerRepeated(
  store: DynamoStore,
  request: GrantRequest,
  record: Item,
): Promise<GrantAnswer> {
  const profile = await readProfile(store, request)
  if (isBeingDeleted(profile)) return { kind: 'leaving' }
  const amount = balanceAt(record, 'amount')
  if (amount !== request.amount) return { kind: 'conflict', amount }
  return { kind: 'repeated', profile }
}

async function readProfile(store: DynamoStore, { uid }: GrantRequest): Promise<Profile> {
  const item = await store.get(store.tables.gateway, profileKey(uid), 'consistent')
  if (item === undefined) throw new Fault('internal', 'grant: its profile is gone')
  return fromProfileItem(item)
}
