/** ledger:{uid}/grant#{grantId}: a grant or correction as an item. Outcomes share the partition. */
import type { Grant } from '../../../core/ledger/ledger.ts'
import { toStoredBalance } from '../client/credits-codec.ts'
import { balanceAt, type Item, intAt, optionalTextAt, textAt } from '../client/item.ts'
import { grantKey } from '../table.ts'

export function toGrantItem(uid: string, grant: Grant): Item {
  const { amount, by, createdAtMs, grantId, reason } = grant
  return {
    ...grantKey(uid, grantId),
    uid,
    grantId,
    amount: toStoredBalance(amount),
    state: 'granted',
    createdAtMs,
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  }
}

export function fromGrantItem(item: Item): Grant {
  return {
    grantId: textAt(item, 'grantId'),
    amount: balanceAt(item, 'amount'),
    reason: optionalTextAt(item, 'reason'),
    by: optionalTextAt(item, 'by'),
    createdAtMs: intAt(item, 'createdAtMs'),
  }
}
