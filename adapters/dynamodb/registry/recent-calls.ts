/**
 * ledger:{uid}, newest first: how the user's last calls ended, eventually consistent, beside the reads of a new call.
 * Half a read unit: an outcome is at most 1 kB, and these are together at most the 4 kB of a unit.
 */
import { CALL_ID_RANGE } from '../../../core/call/call-id.ts'
import type { EndedCall } from '../../../core/ledger/leftovers.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt, wordAt } from '../client/item.ts'
import type { Permission } from '../permission.ts'
import { LEDGER_PK, ledgerKey } from '../table.ts'

export const RECENT_CALLS_PERMISSION: Permission = {
  table: 'gateway',
  actions: ['Query'],
  keyPrefixes: [LEDGER_PK],
}

export const RECENT_CALLS_MAX = 4

export async function readRecentCalls(
  store: DynamoStore,
  uid: string,
): Promise<readonly EndedCall[]> {
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk: ledgerKey(uid, '-').pk, ...CALL_ID_RANGE },
    only: '#sk, #state, #placement, #createdAtMs',
    backwards: true,
    eventual: true,
    limit: RECENT_CALLS_MAX,
  })
  return items.map((item) => ({
    callId: textAt(item, 'sk'),
    state: wordAt(item, 'state', ['settled', 'refunded']),
    placement: intAt(item, 'placement'),
    createdAtMs: intAt(item, 'createdAtMs'),
  }))
}
