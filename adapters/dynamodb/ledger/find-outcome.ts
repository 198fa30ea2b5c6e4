/** ledger:{uid}/{callId}: how one call ended. */
import type { Outcome } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { outcomeFrom } from '../records/outcome-item.ts'
import { LEDGER_PK, ledgerKey } from '../table.ts'

export const FIND_OUTCOME_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem'], keyPrefixes: [LEDGER_PK] },
]

export async function findOutcome(
  store: DynamoStore,
  uid: string,
  callId: string,
): Promise<Outcome | undefined> {
  const item = await store.get(store.tables.gateway, ledgerKey(uid, callId), 'consistent')
  return item === undefined ? undefined : outcomeFrom(item)
}
