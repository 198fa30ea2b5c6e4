/**
 * Changes the scope of an API key in the item auth:hash:{keyHash}. The item counts its scope
 * changes. Each change requires the count that it read, and adds one. Bound by ADR 0108.
 *
 *   A: reads changes 4 ── tools ["sg_*"] ✔ (5) ─────────── B: reads 5 ── tools ["sg_weather"] ✔ (6)
 *   a late copy of A: DynamoDB knows its request token; once the token expires, the count 4 refuses it
 *
 * Without the count, the late copy would succeed and the key would get back the tools that B
 * removed. If two changes run at once, the second is refused and tried again on the scope that the
 * first wrote. If the key is revoked in between, there is no item: the change is refused and does
 * not create the key again. A renewal of the key writes other attributes. If the process dies
 * before the write, nothing has changed; after the write, the whole change is stored.
 */
import { applyScopeChange } from '../../../core/access/key-scope.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import { Fault } from '../../../core/errors.ts'
import type { Keys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, optionalIntAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permission } from '../permission.ts'
import { fromKeyItem, toScopeItem } from '../records/key-item.ts'
import { AUTH_PK, authKey, IDENTITY_AUTH_PK } from '../table.ts'

export const CHANGE_SCOPE_PERMISSIONS: readonly Permission[] = [
  {
    table: 'gateway',
    actions: ['GetItem', 'UpdateItem'],
    keyPrefixes: [AUTH_PK, IDENTITY_AUTH_PK],
  },
]

/** A try fails only if another change of this key's scope came first; few run at once. */
export const SCOPE_TRIES_MAX = 21

/**
 * Returns the changed record, or undefined if this user has no such key. Throws `Fault`
 * (`store_unavailable`) after SCOPE_TRIES_MAX tries.
 */
export async function changeScope(
  store: DynamoStore,
  { change, keyHash, uid }: Parameters<Keys['changeScope']>[0],
): Promise<KeyRecord | undefined> {
  const table = store.tables.gateway
  let item = await store.get(table, authKey(keyHash), 'consistent')
  for (let tries = 1; tries <= SCOPE_TRIES_MAX && item !== undefined; tries += 1) {
    const { scope: before, ...record } = fromKeyItem(item)
    if (record.uid !== uid) return undefined
    const scope = applyScopeChange(before, change)
    const after = scope === undefined ? record : { ...record, scope }
    const answer = await store.transact([scopeWrite(table, item, after)])
    if (answer.kind === 'written') return after
    item = answer.refusals[0]?.old
  }
  if (item === undefined) return undefined
  throw new Fault('store_unavailable', `key: met other changes ${SCOPE_TRIES_MAX} times`)
}

function scopeWrite(table: string, item: Item, { keyHash, scope, uid }: KeyRecord): TransactWrite {
  const members = toScopeItem(scope)
  const changes = optionalIntAt(item, 'scopeChanges')
  const set = [...Object.keys(members), 'scopeChanges'].map((name) => `#${name} = :${name}`)
  const gone = ['tools', 'maxCreditsPerCall', 'mayIssueKeys'].filter(
    (name) => !Object.hasOwn(members, name),
  )
  const isAsRead =
    changes === undefined ? 'attribute_not_exists(#scopeChanges)' : '#scopeChanges = :changesBefore'
  return {
    table,
    key: authKey(keyHash),
    update: `SET ${set.join(', ')}${gone.length === 0 ? '' : ` REMOVE ${gone.map((name) => `#${name}`).join(', ')}`}`,
    if: `#uid = :uid AND ${isAsRead}`,
    values: {
      ...members,
      uid,
      scopeChanges: (changes ?? 0) + 1,
      ...(changes === undefined ? {} : { changesBefore: changes }),
    },
  }
}
