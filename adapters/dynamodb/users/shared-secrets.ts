/**
 * secrets:shared:{skillId}, the gateway's own sealed secrets, in a partition that no uid is part
 * of, and secrets:used:{skillId}#{name}, the day of their last use. The day is a record of its own,
 * so that the function that uses secrets cannot write them. Nothing sealed is opened. Bound by
 * docs/service.md, Shared secrets, and ADR 0047.
 */
import type { SharedSecrets } from '../../../core/ports/secrets.ts'
import { SHARED_SECRETS_MAX } from '../../../core/secrets/limits.ts'
import {
  compareSecretPlaces,
  type SecretPlace,
  type SharedSecret,
} from '../../../core/secrets/secret.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  readSharedSecretDates,
  toSharedSecretDateItem,
  toSharedSecretsItem,
} from '../records/shared-secret-item.ts'
import { SECRETS_USED_PK, SHARED_SECRETS_PK, secretUsedKey, sharedSecretsKey } from '../table.ts'
import { ifNoRemovalSince, retryWrite, type SecretNames } from './secret-removals.ts'

const SHARED_KEYS = { table: 'gateway', keyPrefixes: [SHARED_SECRETS_PK] } as const

export const SHARED_SECRETS_PERMISSIONS: Permissions<SharedSecrets> = {
  put: [{ ...SHARED_KEYS, actions: ['Query', 'UpdateItem', 'PutItem'] }],
  remove: [{ ...SHARED_KEYS, actions: ['Query', 'UpdateItem'] }],
  list: [
    {
      table: 'gateway',
      actions: ['Query'],
      keyPrefixes: [SHARED_SECRETS_PK, SECRETS_USED_PK],
    },
  ],
  noteUse: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SECRETS_USED_PK] }],
}

/** `forget` clears the cache of this process after a write or removal. */
export function dynamoSharedSecrets(store: DynamoStore, forget = () => {}): SharedSecrets {
  const table = store.tables.gateway
  return {
    // The cache is cleared even if the write throws, because it may have been carried out.
    put: (secret, keepPreviousUntilMs) => put(store, secret, keepPreviousUntilMs).finally(forget),
    remove: (place) => remove(store, place).finally(forget),

    async list() {
      const [records, uses] = await Promise.all([
        store.query(table, {
          where: '#pk = :pk',
          only: '#sk, #updatedAtMs, #previousUntilMs',
          values: { pk: SHARED_SECRETS_PK },
        }),
        store.query(table, { where: '#pk = :pk', values: { pk: SECRETS_USED_PK } }),
      ])
      const days = new Map(uses.map((item) => [textAt(item, 'sk'), intAt(item, 'day')]))
      return records
        .flatMap(readSharedSecretDates)
        .map((date) => ({
          ...date,
          lastUsedDay: days.get(secretUsedKey(date.skillId, date.name).sk),
        }))
        .sort(compareSecretPlaces)
    },

    // Two functions note a use at once: both write the same day. A late copy has an older day,
    // which the condition refuses.
    async noteUse({ day, name, skillId }) {
      await store.update(table, {
        key: secretUsedKey(skillId, name),
        set: 'SET #day = :day',
        if: 'attribute_not_exists(#day) OR #day < :day',
        values: { day },
      })
    },
  }
}

/**
 *   rotation:  A ── put B, keep A ──▶ B with previous A ── untilMs ──▶ B only, by the clock of readers
 *   at once:   put B ─┬▶ B with A     put C ─┴▶ C with B: each keeps the value that it replaces
 *
 * Each write is a transaction of one item with the number of removals, as with users' secrets:
 * neither a late copy nor a copy of a refused write restores an older value. A rotation copies the
 * old value inside the record, since this function cannot open it. If the name is removed between
 * the read and the write, the write is refused, and the next try puts the value without a copy.
 * Dying at any point leaves both values as they were before the write or as they are after it.
 */
function put(
  store: DynamoStore,
  secret: SharedSecret,
  keepPreviousUntilMs: number | undefined,
): Promise<'stored' | 'too_many'> {
  const table = store.tables.gateway
  const { name, skillId } = secret
  return retryWrite(async () => {
    const found = await readNames(store, skillId)
    if (found === undefined) {
      const create = { table, put: toSharedSecretsItem(secret), if: 'attribute_not_exists(#pk)' }
      return (await store.transact([create])).kind === 'written' ? 'stored' : undefined
    }
    const isReplaced = found.names.includes(name)
    if (!isReplaced && found.names.length >= SHARED_SECRETS_MAX) return 'too_many'
    const write = makeValueWrite(secret, isReplaced ? keepPreviousUntilMs : undefined)
    const { isUnchanged, values } = ifNoRemovalSince(found)
    const answer = await store.transact([
      {
        table,
        key: sharedSecretsKey(skillId),
        update: write.update,
        if: `(${write.if}) AND ${isUnchanged}`,
        names: { name },
        values: { ...values, ...write.values },
      },
    ])
    return answer.kind === 'written' ? 'stored' : undefined
  })
}

function makeValueWrite(
  secret: SharedSecret,
  keepPreviousUntilMs: number | undefined,
): { readonly update: string; readonly if: string; readonly values: Item } {
  const values = { sealed: secret.sealed, date: toSharedSecretDateItem(secret) }
  if (keepPreviousUntilMs === undefined) {
    return {
      update: `SET ${SET_VALUE} REMOVE ${PREVIOUS_VALUE}`,
      if: `${HAS_NAME} OR size(#sealed) < :max`,
      values: { ...values, max: SHARED_SECRETS_MAX },
    }
  }
  return {
    update: `SET ${KEEP_PREVIOUS}, ${SET_VALUE}, #previousUntilMs.#name = :until`,
    if: HAS_NAME,
    values: { ...values, until: keepPreviousUntilMs },
  }
}

const HAS_NAME = 'attribute_exists(#sealed.#name)'
const SET_VALUE = '#sealed.#name = :sealed, #updatedAtMs.#name = :date'
/** DynamoDB reads the values on the right as they were before the update. */
const KEEP_PREVIOUS =
  '#previousSealed.#name = #sealed.#name, #previousDates.#name = #updatedAtMs.#name'
const PREVIOUS_VALUE = '#previousSealed.#name, #previousDates.#name, #previousUntilMs.#name'

/** As with users' secrets: the record remains, and the token recognises a repeated write. */
function remove(store: DynamoStore, { name, skillId }: SecretPlace): Promise<boolean> {
  return retryWrite(async () => {
    const found = await readNames(store, skillId)
    if (!found?.names.includes(name)) return false
    const { isUnchanged, values } = ifNoRemovalSince(found)
    const answer = await store.transact([
      {
        table: store.tables.gateway,
        key: sharedSecretsKey(skillId),
        update: `SET #removals = :after REMOVE #sealed.#name, #updatedAtMs.#name, ${PREVIOUS_VALUE}`,
        if: `${HAS_NAME} AND ${isUnchanged}`,
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
  skillId: string | undefined,
): Promise<SecretNames | undefined> {
  const { pk, sk } = sharedSecretsKey(skillId)
  const [item] = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk = :sk',
    only: '#sk, #updatedAtMs, #previousUntilMs, #removals',
    values: { pk, sk },
  })
  if (item === undefined) return undefined
  return {
    names: readSharedSecretDates(item).map(({ name }) => name),
    removals: intAt(item, 'removals'),
  }
}
