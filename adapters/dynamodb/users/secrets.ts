/**
 * skill:secrets:{uid}/{skillId}: a user's sealed secrets, one record for each skill and one for all
 * skills. Every key is made from the uid of the request. Nothing sealed is opened. Bound by
 * docs/service.md, Secrets.
 */
import type { SecretStore } from '../../../core/ports/secrets.ts'
import { SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { compareSecretPlaces } from '../../../core/secrets/secret.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  fromSecretsItem,
  readSecretDates,
  toSecretDateItem,
  toSecretsItem,
} from '../records/secret-item.ts'
import { fromSharedSecretsItem } from '../records/shared-secret-item.ts'
import { SECRETS_PK, SHARED_SECRETS_PK, secretsKey, sharedSecretsKey } from '../table.ts'
import { makeSecretCache } from './secret-cache.ts'
import { ifNoRemovalSince, retryWrite, type SecretNames } from './secret-removals.ts'

type PutRequest = Parameters<SecretStore['put']>[0]
type RemoveRequest = Parameters<SecretStore['remove']>[0]

export const SECRETS_PERMISSIONS: Permissions<SecretStore> = {
  // One batch names both kinds of keys, and IAM allows or denies a batch as a whole: one
  // permission.
  find: [
    {
      table: 'gateway',
      actions: ['BatchGetItem'],
      keyPrefixes: [SECRETS_PK, SHARED_SECRETS_PK],
    },
  ],
  put: [
    { table: 'gateway', actions: ['Query', 'UpdateItem', 'PutItem'], keyPrefixes: [SECRETS_PK] },
  ],
  remove: [{ table: 'gateway', actions: ['Query', 'UpdateItem'], keyPrefixes: [SECRETS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [SECRETS_PK] }],
}

/** `forget` is for a process that also writes shared secrets, which the cached results include. */
export function dynamoSecrets(store: DynamoStore): SecretStore & { readonly forget: () => void } {
  const table = store.tables.gateway
  const cache = makeSecretCache(store.clock)
  return {
    forget: cache.forget,

    find: (wanted) =>
      cache.find(wanted, async () => {
        const { names, skillId, uid, withShared } = wanted
        const own = [secretsKey(uid, undefined), secretsKey(uid, skillId)]
        const shared = [sharedSecretsKey(undefined), sharedSecretsKey(skillId)]
        const keys = withShared === true ? [...own, ...shared] : own
        // Consistent: a stale read would put a removed secret into the cache again.
        const items = await store.batchGet(table, keys, 'consistent')
        return items.flatMap((item) =>
          item['pk'] === SHARED_SECRETS_PK
            ? fromSharedSecretsItem(item, names)
            : fromSecretsItem(item, names),
        )
      }),

    // The cache is cleared even if the write throws, because it may have been carried out.
    put: (secret) => put(store, secret).finally(cache.forget),
    remove: (place) => remove(store, place).finally(cache.forget),

    async list(uid) {
      const items = await store.query(table, {
        where: '#pk = :pk',
        only: '#sk, #updatedAtMs',
        values: { pk: secretsKey(uid, undefined).pk },
      })
      return items.flatMap(readSecretDates).sort(compareSecretPlaces)
    },
  }
}

/**
 *   A: no record ── creates it ✔
 *   B: no record ── create refused by A's ── reads again ── into the record ✔
 *
 * Each write is a transaction of one item because of its token: a late copy of a plain write would
 * replace a newer value, or restore a removed secret. The number of removals (secret-removals.ts)
 * refuses a copy of a refused write. If the read shows that a name would be the 65th, no write is
 * sent. Two puts of one name at once: the later one remains. Two puts of different names: both
 * remain, and the 65th name is refused in any order. Dying at any point: the secret is either new
 * or as before.
 */
function put(store: DynamoStore, secret: PutRequest): Promise<'stored' | 'too_many'> {
  const table = store.tables.gateway
  const { name, sealed, skillId, uid, ...date } = secret
  return retryWrite(async () => {
    const found = await readNames(store, secret)
    if (found === undefined) {
      const create = { table, put: toSecretsItem(secret), if: 'attribute_not_exists(#pk)' }
      return (await store.transact([create])).kind === 'written' ? 'stored' : undefined
    }
    if (!found.names.includes(name) && found.names.length >= SECRETS_MAX) return 'too_many'
    const { isUnchanged, values } = ifNoRemovalSince(found)
    const answer = await store.transact([
      {
        table,
        key: secretsKey(uid, skillId),
        update: 'SET #sealed.#name = :sealed, #updatedAtMs.#name = :date',
        if: `(attribute_exists(#sealed.#name) OR size(#sealed) < :max) AND ${isUnchanged}`,
        names: { name },
        values: { ...values, sealed, date: toSecretDateItem(date), max: SECRETS_MAX },
      },
    ])
    return answer.kind === 'written' ? 'stored' : undefined
  })
}

/**
 * Two removals of one secret at once: one resolves to true; the other reads again and resolves to
 * false. The token recognises a write that is repeated after a lost answer: true. The record
 * remains without the name, because an empty record costs nothing and its removal would race with
 * puts. Dying before: the secret still exists. Dying after: it is removed.
 */
function remove(store: DynamoStore, place: RemoveRequest): Promise<boolean> {
  const { name, skillId, uid } = place
  return retryWrite(async () => {
    const found = await readNames(store, place)
    if (!found?.names.includes(name)) return false
    const { isUnchanged, values } = ifNoRemovalSince(found)
    const answer = await store.transact([
      {
        table: store.tables.gateway,
        key: secretsKey(uid, skillId),
        update: 'SET #removals = :after REMOVE #sealed.#name, #updatedAtMs.#name',
        if: `attribute_exists(#sealed.#name) AND ${isUnchanged}`,
        names: { name },
        values: { ...values, after: found.removals + 1 },
      },
    ])
    return answer.kind === 'written' ? true : undefined
  })
}

/** Reads no sealed value. Undefined if there is no record; records are never removed. */
async function readNames(
  store: DynamoStore,
  { skillId, uid }: Pick<PutRequest, 'skillId' | 'uid'>,
): Promise<SecretNames | undefined> {
  const { pk, sk } = secretsKey(uid, skillId)
  const [item] = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk = :sk',
    only: '#sk, #updatedAtMs, #removals',
    values: { pk, sk },
  })
  if (item === undefined) return undefined
  return { names: readSecretDates(item).map(({ name }) => name), removals: intAt(item, 'removals') }
}
