/**
 * skill:secrets:{uid}/{skillId}: a user's sealed secrets, one record for each skill and one for all
 * skills. Builds every key from the uid it is given, opens nothing. Bound by docs/service.md,
 * Secrets.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import type { SecretStore } from '../../../core/ports.ts'
import { SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { byPlace } from '../../../core/secrets/secret-place.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permissions } from '../permission.ts'
import { dateItem, datesFrom, secretsFrom, secretsItem } from '../records/secret-item.ts'
import { SECRETS_PK, secretsKey } from '../table.ts'
import { secretCache } from './secret-cache.ts'

type PutRequest = Parameters<SecretStore['put']>[0]
type RemoveRequest = Parameters<SecretStore['remove']>[0]

export const SECRETS_PERMISSIONS: Permissions<SecretStore> = {
  find: [{ table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [SECRETS_PK] }],
  put: [{ table: 'gateway', actions: ['UpdateItem', 'PutItem'], keyPrefixes: [SECRETS_PK] }],
  remove: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SECRETS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [SECRETS_PK] }],
}

export function dynamoSecrets(store: DynamoStore): SecretStore {
  const table = store.tables.gateway
  const cache = secretCache(store.clock)
  return {
    find: (wanted) =>
      cache.find(wanted, async () => {
        const { names, skillId, uid } = wanted
        const keys = [secretsKey(uid, undefined), secretsKey(uid, skillId)]
        // Consistent: a read that lags would put a removed secret into the cache again.
        const items = await store.batchGet(table, keys, 'consistent')
        return items.flatMap((item) => secretsFrom(item, names))
      }),

    // The cache drops its answers even if this throws: the secret may be written all the same.
    put: (secret) => put(store, secret).finally(cache.forget),
    remove: (place) => remove(store, place).finally(cache.forget),

    async list(uid) {
      const items = await store.query(table, {
        where: '#pk = :pk',
        only: '#sk, #updatedAtMs',
        values: { pk: secretsKey(uid, undefined).pk },
      })
      return items.flatMap(datesFrom).sort(byPlace)
    },
  }
}

/**
 *   A: into the record ── refused, there is none ── creates it ✔
 *   B: into the record ── refused, there is none ── create refused by A's ── into the record ✔
 *
 * Each write is of one item. Two puts of one name at once: the later one stands whole. Two puts of
 * different names: both stand, and the 65th name is refused in any order. Our own write sent again
 * after a lost answer puts the same value, over a put or removal of another administrator in the
 * meantime, as if ours had come later, which it did. Dying anywhere: the secret is there whole, or
 * as it was before.
 */
async function put(store: DynamoStore, secret: PutRequest): Promise<'stored' | 'too_many'> {
  const added = await putInto(store, secret)
  if (added !== 'no_record') return added
  const made = await store.put(store.tables.gateway, {
    item: secretsItem(secret),
    if: 'attribute_not_exists(#pk)',
  })
  if (made.kind === 'written') return 'stored'
  // Records are never removed, so the record that refused us exists.
  const again = await putInto(store, secret)
  if (again === 'no_record') throw new Fault('internal', 'store: refused by no item')
  return again
}

async function putInto(
  store: DynamoStore,
  { uid, skillId, name, sealed, ...date }: PutRequest,
): Promise<'stored' | 'too_many' | 'no_record'> {
  const answer = await store.update(store.tables.gateway, {
    key: secretsKey(uid, skillId),
    set: 'SET #sealed.#name = :sealed, #updatedAtMs.#name = :date',
    if: 'attribute_exists(#sealed.#name) OR size(#sealed) < :max',
    names: { name },
    values: { sealed, date: dateItem(date), max: SECRETS_MAX },
  })
  if (answer.kind === 'written') return 'stored'
  return answer.old === undefined ? 'no_record' : 'too_many'
}

/**
 * Two remove one secret at once: one gets true, the other false. Our own write sent again after a
 * lost answer is refused and finds its write token: true. The record stays, without the name: an
 * empty record costs nothing, and removing it would race with puts. Dying before: the secret is
 * still there; after: it is gone.
 */
async function remove(store: DynamoStore, { uid, skillId, name }: RemoveRequest): Promise<boolean> {
  const writeToken = randomBytes(9).toString('base64url')
  const answer = await store.update(store.tables.gateway, {
    key: secretsKey(uid, skillId),
    set: 'REMOVE #sealed.#name, #updatedAtMs.#name SET #removal = :writeToken',
    if: 'attribute_exists(#sealed.#name)',
    names: { name },
    values: { writeToken },
  })
  return answer.kind === 'written' || answer.old?.['removal'] === writeToken
}
