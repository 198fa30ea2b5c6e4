/**
 * skill:secrets:{uid}/{skillId}: a user's sealed secrets, one record for each skill and one for all
 * skills. Builds every key from the uid it is given, opens nothing. Bound by docs/service.md,
 * Secrets.
 */
import type { SecretStore } from '../../../core/ports.ts'
import { SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { byPlace } from '../../../core/secrets/secret-place.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permissions } from '../permission.ts'
import { dateItem, datesFrom, secretsFrom, secretsItem } from '../records/secret-item.ts'
import { sharedSecretsFrom } from '../records/shared-secret-item.ts'
import { SECRETS_PK, SHARED_SECRETS_PK, secretsKey, sharedSecretsKey } from '../table.ts'
import { secretCache } from './secret-cache.ts'

type PutRequest = Parameters<SecretStore['put']>[0]
type RemoveRequest = Parameters<SecretStore['remove']>[0]

export const SECRETS_PERMISSIONS: Permissions<SecretStore> = {
  // One batch names both, so they are one permission: IAM judges a batch as a whole.
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

/** `forget` is for a process that writes shared secrets as well: their copies are in the same answers. */
export function dynamoSecrets(store: DynamoStore): SecretStore & { readonly forget: () => void } {
  const table = store.tables.gateway
  const cache = secretCache(store.clock)
  return {
    forget: cache.forget,

    find: (wanted) =>
      cache.find(wanted, async () => {
        const { names, skillId, uid, withShared } = wanted
        const own = [secretsKey(uid, undefined), secretsKey(uid, skillId)]
        const shared = [sharedSecretsKey(undefined), sharedSecretsKey(skillId)]
        const keys = withShared === true ? [...own, ...shared] : own
        // Consistent: a read that lags would put a removed secret into the cache again.
        const items = await store.batchGet(table, keys, 'consistent')
        return items.flatMap((item) =>
          item['pk'] === SHARED_SECRETS_PK
            ? sharedSecretsFrom(item, names)
            : secretsFrom(item, names),
        )
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
 *   A: no record ── creates it ✔
 *   B: no record ── create refused by A's ── into the record ✔
 *
 * Each write is a transaction of one item, for its token alone: a plain write that arrives again, late,
 * would put an older value over a newer one, or bring a removed secret back. Two puts of one name at
 * once: the later one stands whole. Two puts of different names: both stand, and the 65th name is
 * refused in any order. The read comes first because a refused write is not known by its token: a
 * write into a record that is not there yet could be met later. Dying anywhere: the secret is there
 * whole, or as it was before.
 */
async function put(store: DynamoStore, secret: PutRequest): Promise<'stored' | 'too_many'> {
  const table = store.tables.gateway
  const { name, sealed, skillId, uid, ...date } = secret
  if ((await namesIn(store, secret)) === undefined) {
    const create = { table, put: secretsItem(secret), if: 'attribute_not_exists(#pk)' }
    if ((await store.transact([create])).kind === 'written') return 'stored'
  }
  const answer = await store.transact([
    {
      table,
      key: secretsKey(uid, skillId),
      update: 'SET #sealed.#name = :sealed, #updatedAtMs.#name = :date',
      if: 'attribute_exists(#sealed.#name) OR size(#sealed) < :max',
      names: { name },
      values: { sealed, date: dateItem(date), max: SECRETS_MAX },
    },
  ])
  return answer.kind === 'written' ? 'stored' : 'too_many'
}

/**
 * Two remove one secret at once: one gets true, the other false. Our own write sent again after a lost
 * answer is known by its token: true. The record stays, without the name: an empty record costs
 * nothing, and removing it would race with puts. Dying before: the secret is still there; after: it is
 * gone.
 */
async function remove(store: DynamoStore, place: RemoveRequest): Promise<boolean> {
  const { name, skillId, uid } = place
  const names = (await namesIn(store, place)) ?? []
  if (!names.includes(name)) return false
  const answer = await store.transact([
    {
      table: store.tables.gateway,
      key: secretsKey(uid, skillId),
      update: 'REMOVE #sealed.#name, #updatedAtMs.#name',
      if: 'attribute_exists(#sealed.#name)',
      names: { name },
    },
  ])
  return answer.kind === 'written'
}

/** Reads no sealed value. Undefined when there is no record; records are never removed. */
async function namesIn(
  store: DynamoStore,
  { skillId, uid }: Pick<PutRequest, 'skillId' | 'uid'>,
): Promise<readonly string[] | undefined> {
  const { pk, sk } = secretsKey(uid, skillId)
  const [item] = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk = :sk',
    only: '#sk, #updatedAtMs',
    values: { pk, sk },
  })
  return item === undefined ? undefined : datesFrom(item).map(({ name }) => name)
}
