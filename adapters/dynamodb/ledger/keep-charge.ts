/**
 * Makes the charge of a settled call stay, before its kept answer is given to a repeat. Bound by
 * docs/service.md, Idempotency-Key, and ADR 0107.
 */
import type { Outcome } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { fromOutcomeItem } from '../records/outcome-item.ts'
import { LEDGER_PK, ledgerKey } from '../table.ts'

export const KEEP_CHARGE_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [LEDGER_PK] },
]

/**
 * The call's own caller may take it back for 60 s, while a repeat asks for its answer. Both writes
 * have the outcome's state as their condition, so one of them is first:
 *
 *   repeat: charge stays ✔ ─▶ answer        void: refused by the mark: the call stays charged, once
 *   void:   refunded ✔                      repeat: refused by the state: no answer, the call runs anew
 * Two repeats: the second sets the same mark. Dying before: as before. Dying after: charged, and the next
 * repeat gets the answer. A late copy of this write finds the mark, or an outcome that was refunded.
 */
export async function keepCharge(
  store: DynamoStore,
  { uid, callId }: { readonly uid: string; readonly callId: string },
): Promise<Outcome | undefined> {
  const answer = await store.update(store.tables.gateway, {
    key: ledgerKey(uid, callId),
    set: 'SET #chargeStays = :stays',
    if: '#state = :settled',
    values: { stays: true, settled: 'settled' },
  })
  const item = answer.kind === 'written' ? answer.item : answer.old
  return item === undefined ? undefined : fromOutcomeItem(item)
}
