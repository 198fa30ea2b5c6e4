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
import type { ExpressionValues } from '../client/expression.ts'
import { optionalTextAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { dateItem, datesFrom, secretsFrom, secretsItem } from '../records/secret-item.ts'
import { SECRETS_PK, secretsKey } from '../table.ts'
import { secretCache } from './secret-cache.ts'

type PutRequest = Parameters<SecretStore['put']>[0]
type RemoveRequest = Parameters<SecretStore['remove']>[0]

export const SECRETS_PERMISSIONS: Permissions<SecretStore> = {
  find: [{ table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [SECRETS_PK] }],
  put: [
    { table: 'gateway', actions: ['Query', 'UpdateItem', 'PutItem'], keyPrefixes: [SECRETS_PK] },
  ],
  remove: [{ table: 'gateway', actions: ['Query', 'UpdateItem'], keyPrefixes: [SECRETS_PK] }],
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

/** A writer is refused only where another one was first, which cannot go on for ever. */
export const SECRET_WRITE_TRIES_MAX = 8
const WRITE_TOKEN_BYTES = 9

/**
 *   A: read (token t) ── write if still t ✔ token a
 *   B: read (token t) ── write if still t ✘ ── read (token a) ── write if still a ✔ token b
 *
 * Each write is of one item, and leaves a token of its own in it. Two puts of one name at once: the
 * later one stands whole. Two puts of different names: both stand, and the 65th name is refused in
 * any order. Our own write sent again after a lost answer is refused by its own token: stored. A copy
 * of it that arrives late finds another token and changes nothing, so no older value and no removed
 * secret comes back. Dying anywhere: the secret is there whole, or as it was before.
 */
async function put(store: DynamoStore, secret: PutRequest): Promise<'stored' | 'too_many'> {
  const table = store.tables.gateway
  const writeToken = randomBytes(WRITE_TOKEN_BYTES).toString('base64url')
  const { name, sealed, skillId, uid, ...date } = secret
  for (let tries = 1; tries <= SECRET_WRITE_TRIES_MAX; tries += 1) {
    const seen = await readRecord(store, secret)
    const isNew = seen !== undefined && !seen.names.includes(name)
    if (isNew && seen.names.length >= SECRETS_MAX) return 'too_many'
    const answer =
      seen === undefined
        ? await store.put(table, {
            item: { ...secretsItem(secret), writeToken },
            if: 'attribute_not_exists(#pk)',
          })
        : await store.update(table, {
            key: secretsKey(uid, skillId),
            set: 'SET #sealed.#name = :sealed, #updatedAtMs.#name = :date, #writeToken = :writeToken',
            if: seen.unchanged.if,
            names: { name },
            values: { ...seen.unchanged.values, sealed, date: dateItem(date), writeToken },
          })
    if (answer.kind === 'written' || answer.old?.['writeToken'] === writeToken) return 'stored'
  }
  throw overtaken()
}

/**
 * Two remove one secret at once: one gets true, the other false. The tries are those of `put`; our
 * own write sent again after a lost answer finds its token: true. Another write in between hides it:
 * false, although the secret is gone. The record stays, without the name: an empty record costs
 * nothing, and the token in it must outlast late copies.
 */
async function remove(store: DynamoStore, place: RemoveRequest): Promise<boolean> {
  const writeToken = randomBytes(WRITE_TOKEN_BYTES).toString('base64url')
  const { name, skillId, uid } = place
  for (let tries = 1; tries <= SECRET_WRITE_TRIES_MAX; tries += 1) {
    const seen = await readRecord(store, place)
    if (seen === undefined || !seen.names.includes(name)) return false
    const answer = await store.update(store.tables.gateway, {
      key: secretsKey(uid, skillId),
      set: 'REMOVE #sealed.#name, #updatedAtMs.#name SET #writeToken = :writeToken',
      if: seen.unchanged.if,
      names: { name },
      values: { ...seen.unchanged.values, writeToken },
    })
    if (answer.kind === 'written' || answer.old?.['writeToken'] === writeToken) return true
  }
  throw overtaken()
}

type SeenRecord = {
  readonly names: readonly string[]
  /** Met while nobody has written since; records of earlier versions have no token yet. */
  readonly unchanged: { readonly if: string; readonly values: ExpressionValues }
}

/** Reads no sealed value. Undefined when there is no record; records are never removed. */
async function readRecord(
  store: DynamoStore,
  { skillId, uid }: Pick<PutRequest, 'skillId' | 'uid'>,
): Promise<SeenRecord | undefined> {
  const { pk, sk } = secretsKey(uid, skillId)
  const [item] = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk = :sk',
    only: '#sk, #updatedAtMs, #writeToken',
    values: { pk, sk },
  })
  if (item === undefined) return undefined
  const names = datesFrom(item).map((date) => date.name)
  const seen = optionalTextAt(item, 'writeToken')
  const unchanged =
    seen === undefined
      ? { if: 'attribute_exists(#pk) AND attribute_not_exists(#writeToken)', values: {} }
      : { if: '#writeToken = :seen', values: { seen } }
  return { names, unchanged }
}

function overtaken(): Fault {
  const tries = SECRET_WRITE_TRIES_MAX
  return new Fault('store_unavailable', `secrets: other writes came first ${tries} times`)
}
