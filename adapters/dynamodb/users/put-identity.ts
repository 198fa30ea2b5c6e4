/**
 * Puts the record of an identity at auth:hash:i:…, alone or together with the use of an invitation.
 * Bound by ADR 0115.
 *
 *   entry ✔ ─▶ [invitation: used by this identity] [record, if there is none]
 *
 *   50 first calls of one subject at once: one record is written; the others are refused, and
 *                              return that record
 *   two subjects with one address: both read an open invitation; the first transaction uses it, the
 *                              second is refused by it and stores no record
 *   linked to A and to B at once: the first record stands, and the caller of the other learns whose
 *                              it is; the list of the other has an entry, which is not shown because
 *                              the record is not that user's
 *   a lost answer: the request is sent again with the same token, and changes nothing more
 *   a late copy after the identity was unlinked: DynamoDB knows its token, so it stores nothing
 *   unlinked in between, invitation used: the invitation refuses. It lets nobody in twice
 *
 * Dying before the transaction: an entry without a record, which no list shows and a later list
 * removes. Dying after: the record stands, and the next request finds it.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { TransactWrite } from '../client/transaction.ts'
import { fromKeyItem, toKeyEntryItem, toKeyItem } from '../records/key-item.ts'
import { identityInviteKey } from '../table.ts'

type Request = Parameters<Keys['putIdentity']>[0]

/** Returns the record that stands, or undefined if the invitation is not open to this user. */
export async function putIdentity(
  store: DynamoStore,
  { invite, record }: Request,
): Promise<KeyRecord | undefined> {
  const table = store.tables.gateway
  await store.put(table, { item: toKeyEntryItem(record) })
  const put = { table, put: toKeyItem(record), if: 'attribute_not_exists(#pk)' }
  const use = invite === undefined ? [] : [toUse(table, record, invite)]
  const answer = await store.transact([put, ...use])
  if (answer.kind === 'written') return record
  const stands = answer.refusals[0]?.old
  return stands === undefined ? undefined : fromKeyItem(stands)
}

function toUse(
  table: string,
  { keyHash, uid }: KeyRecord,
  { id, nowMs }: NonNullable<Request['invite']>,
): TransactWrite {
  return {
    table,
    key: identityInviteKey(id),
    update: 'SET #usedBy = :usedBy, #version = #version + :one',
    if: '#uid = :uid AND #expiresAtMs > :nowMs AND attribute_not_exists(#usedBy)',
    values: { usedBy: keyHash, one: 1, uid, nowMs },
  }
}
