/**
 * secrets:shared:{skillId}: the gateway's own sealed secrets, in a partition that no uid leads to, and
 * secrets:used:{skillId}#{name}: the day of their last use, so that the function that uses them can write
 * none of them. Opens nothing. Bound by docs/service.md, Shared secrets, and ADR 0047.
 */
import type { SharedSecrets } from '../../../core/ports/secrets.ts'
import { SHARED_SECRETS_MAX } from '../../../core/secrets/limits.ts'
import { byPlace, type SecretPlace, type SharedSecret } from '../../../core/secrets/secret.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  sharedDateItem,
  sharedDatesFrom,
  sharedSecretsItem,
} from '../records/shared-secret-item.ts'
import { SECRETS_USED_PK, SHARED_SECRETS_PK, secretUsedKey, sharedSecretsKey } from '../table.ts'
import { type SecretNames, sinceRemoval, tryWrite } from './secret-removals.ts'

const SHARED = { table: 'gateway', keyPrefixes: [SHARED_SECRETS_PK] } as const

export const SHARED_SECRETS_PERMISSIONS: Permissions<SharedSecrets> = {
  put: [{ ...SHARED, actions: ['Query', 'UpdateItem', 'PutItem'] }],
  remove: [{ ...SHARED, actions: ['Query', 'UpdateItem'] }],
  list: [
    {
      table: 'gateway',
      actions: ['Query'],
      keyPrefixes: [SHARED_SECRETS_PK, SECRETS_USED_PK],
    },
  ],
  noteUse: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SECRETS_USED_PK] }],
}

/** `forget`: a secret was written or removed by this process, which must not find the old one. */
export function dynamoSharedSecrets(store: DynamoStore, forget = () => {}): SharedSecrets {
  const table = store.tables.gateway
  return {
    // Even if this throws: the secret may be written all the same.
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
        .flatMap(sharedDatesFrom)
        .map((date) => ({
          ...date,
          lastUsedDay: days.get(secretUsedKey(date.skillId, date.name).sk),
        }))
        .sort(byPlace)
    },

    // Two functions note one use at once: both write the same day. A late or repeated write has an older
    // day, which the condition refuses.
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
 *   rotation:  A ── put B, keep A ──▶ B with A beside it ── untilMs ──▶ B alone, by the clock of readers
 *   at once:   put B ─┬▶ B with A     put C ─┴▶ C with B: each keeps the value that it replaces
 *
 * Each write is a transaction of one item with the count of removals, as with users' secrets: neither a
 * late copy nor one of a refused write brings an older value back. A rotation copies the old value
 * inside the record, since this function cannot open it. When the name is removed between our read and that
 * write, the write is refused, and the next try puts the value without a copy. Dying anywhere leaves both
 * values either as before or as after the write.
 */
function put(
  store: DynamoStore,
  secret: SharedSecret,
  keepPreviousUntilMs: number | undefined,
): Promise<'stored' | 'too_many'> {
  const table = store.tables.gateway
  const { name, skillId } = secret
  return tryWrite(async () => {
    const found = await namesIn(store, skillId)
    if (found === undefined) {
      const create = { table, put: sharedSecretsItem(secret), if: 'attribute_not_exists(#pk)' }
      return (await store.transact([create])).kind === 'written' ? 'stored' : undefined
    }
    const isThere = found.names.includes(name)
    if (!isThere && found.names.length >= SHARED_SECRETS_MAX) return 'too_many'
    const write = valueWrite(secret, isThere ? keepPreviousUntilMs : undefined)
    const { same, values } = sinceRemoval(found)
    const answer = await store.transact([
      {
        table,
        key: sharedSecretsKey(skillId),
        update: write.update,
        if: `(${write.if}) AND ${same}`,
        names: { name },
        values: { ...values, ...write.values },
      },
    ])
    return answer.kind === 'written' ? 'stored' : undefined
  })
}

function valueWrite(
  secret: SharedSecret,
  keepPreviousUntilMs: number | undefined,
): { readonly update: string; readonly if: string; readonly values: Item } {
  const values = { sealed: secret.sealed, date: sharedDateItem(secret) }
  if (keepPreviousUntilMs === undefined) {
    return {
      update: `SET ${SET} REMOVE ${PREVIOUS}`,
      if: `${HAS_NAME} OR size(#sealed) < :max`,
      values: { ...values, max: SHARED_SECRETS_MAX },
    }
  }
  return {
    update: `SET ${KEEP}, ${SET}, #previousUntilMs.#name = :until`,
    if: HAS_NAME,
    values: { ...values, until: keepPreviousUntilMs },
  }
}

const HAS_NAME = 'attribute_exists(#sealed.#name)'
const SET = '#sealed.#name = :sealed, #updatedAtMs.#name = :date'
/** Reads the record as it was before the update. */
const KEEP = '#previousSealed.#name = #sealed.#name, #previousDates.#name = #updatedAtMs.#name'
const PREVIOUS = '#previousSealed.#name, #previousDates.#name, #previousUntilMs.#name'

/** As with users' secrets: the record stays, and our own write sent again is known by its token. */
function remove(store: DynamoStore, { name, skillId }: SecretPlace): Promise<boolean> {
  return tryWrite(async () => {
    const found = await namesIn(store, skillId)
    if (!found?.names.includes(name)) return false
    const { same, values } = sinceRemoval(found)
    const answer = await store.transact([
      {
        table: store.tables.gateway,
        key: sharedSecretsKey(skillId),
        update: `SET #removals = :after REMOVE #sealed.#name, #updatedAtMs.#name, ${PREVIOUS}`,
        if: `${HAS_NAME} AND ${same}`,
        names: { name },
        values: { ...values, after: found.removals + 1 },
      },
    ])
    return answer.kind === 'written' ? true : undefined
  })
}

/** Reads no sealed value. Undefined when there is no record; records are never removed. */
async function namesIn(
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
  return { names: sharedDatesFrom(item).map(({ name }) => name), removals: intAt(item, 'removals') }
}
