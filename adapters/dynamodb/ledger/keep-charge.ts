/**
 * Makes the charge of a settled call stay, before a repeat gets the kept answer of that call. A
 * call that was refunded stays refunded. Bound by docs/service.md, Idempotency-Key, and ADR 0107.
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
 * Marks the settled outcome with `chargeStays`. Returns the stored outcome, or undefined if there
 * is none. The caller may void the call for 60 s, while a repeat requests its answer. Both writes
 * require that the outcome is settled, so one of them is first:
 *
 *   repeat: charge stays ✔ ─▶ answer        void: refused by the mark: the call stays charged, once
 *   void:   refunded ✔                      repeat: refused by the state: no answer, the call runs again
 *
 * If two repeats write, the second sets the same mark. If the process dies before the write,
 * nothing has changed. If it dies after the write, the call stays charged and the next repeat gets
 * the answer. A late copy of this write finds the mark or a refunded outcome, and changes nothing.
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
