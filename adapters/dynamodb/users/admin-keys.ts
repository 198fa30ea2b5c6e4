/**
 * admin_keys/{keyId}, administrators' keys by digest, and admin_key_names/{name}, the names in use.
 * Bound by docs/service.md, Records.
 */
import type { AdminKey } from '../../../core/access/admin-key.ts'
import { ADMIN_ROLES } from '../../../core/access/admin-role.ts'
import type { AdminKeys } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, optionalIntAt, optionalTextAt, textAt, wordAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { ADMIN_KEY_NAMES_PK, ADMIN_KEYS_PK, adminKeyKey, adminKeyNameKey } from '../table.ts'

const KEYS_AND_NAMES = [ADMIN_KEYS_PK, ADMIN_KEY_NAMES_PK]

export const ADMIN_KEYS_PERMISSIONS: Permissions<AdminKeys> = {
  find: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [ADMIN_KEYS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [ADMIN_KEYS_PK] }],
  create: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: KEYS_AND_NAMES }],
  revoke: [
    { table: 'gateway', actions: ['GetItem'], keyPrefixes: [ADMIN_KEYS_PK] },
    { table: 'gateway', actions: ['DeleteItem'], keyPrefixes: KEYS_AND_NAMES },
  ],
  noteUse: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [ADMIN_KEYS_PK] }],
}

export function dynamoAdminKeys(store: DynamoStore): AdminKeys {
  const table = store.tables.gateway
  return {
    async find(keyId) {
      const item = await store.get(table, adminKeyKey(keyId), 'consistent')
      return item === undefined ? undefined : fromAdminKeyItem(item)
    },

    async list() {
      const items = await store.query(table, { where: '#pk = :pk', values: { pk: ADMIN_KEYS_PK } })
      return items.map(fromAdminKeyItem).sort(compareNames)
    },

    // Two keys of one name: the name is put once and refuses the other transaction. The token
    // recognises a write that is repeated after a lost answer, even if the key was revoked
    // meanwhile.
    async create(key) {
      const { keyId, name } = key
      const answer = await store.transact([
        { table, put: toAdminKeyItem(key), if: 'attribute_not_exists(#pk)' },
        { table, put: { ...adminKeyNameKey(name), keyId }, if: 'attribute_not_exists(#pk)' },
      ])
      return answer.kind === 'written'
    },

    // Two revocations: the second finds no key. A name that another key has claimed meanwhile
    // remains.
    async revoke(keyId) {
      const item = await store.get(table, adminKeyKey(keyId), 'consistent')
      if (item === undefined) return undefined
      const key = fromAdminKeyItem(item)
      const answer = await store.transact([
        { table, remove: adminKeyKey(keyId), if: 'attribute_exists(#pk)' },
        {
          table,
          remove: adminKeyNameKey(key.name),
          if: '#keyId = :keyId',
          values: { keyId },
        },
      ])
      return answer.kind === 'written' ? key : undefined
    },

    async noteUse({ keyId, day }) {
      await store.change(table, {
        key: adminKeyKey(keyId),
        set: 'SET #lastUsedDay = :day',
        // Without the first condition, a use would restore a revoked key.
        if: 'attribute_exists(#pk) AND (attribute_not_exists(#lastUsedDay) OR #lastUsedDay < :day)',
        values: { day },
      })
    },
  }
}

function toAdminKeyItem(key: AdminKey) {
  return { ...adminKeyKey(key.keyId), ...key }
}

function fromAdminKeyItem(item: Item): AdminKey {
  return {
    keyId: textAt(item, 'keyId'),
    name: textAt(item, 'name'),
    role: wordAt(item, 'role', ADMIN_ROLES),
    keyPrefix: textAt(item, 'keyPrefix'),
    createdAtMs: intAt(item, 'createdAtMs'),
    createdBy: textAt(item, 'createdBy'),
    expiresAtMs: optionalIntAt(item, 'expiresAtMs'),
    lastUsedDay: optionalTextAt(item, 'lastUsedDay'),
  }
}

function compareNames(a: AdminKey, b: AdminKey): number {
  return a.name < b.name ? -1 : 1
}
