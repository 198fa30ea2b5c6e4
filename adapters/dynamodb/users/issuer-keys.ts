/**
 * jwks:{id}: the public keys of an authorization server, so that a new process need not wait for
 * it. Keys in this record decide who is who, so the functions that may write it are few, and the
 * admin function does not read it. Bound by ADR 0114.
 */
import type { IssuerKeys } from '../../../core/ports/issuer-keys.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { ISSUER_KEYS_PK, issuerKeysKey } from '../table.ts'

export const ISSUER_KEYS_PERMISSIONS: Permissions<IssuerKeys> = {
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [ISSUER_KEYS_PK] }],
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [ISSUER_KEYS_PK] }],
}

/** Keys older than a day are not used; a record of an issuer that was taken away disappears. */
const LIFE_SEC = 7 * 86_400

export function dynamoIssuerKeys(store: DynamoStore): IssuerKeys {
  const table = store.tables.gateway
  return {
    async read(issuerId) {
      const item = await store.get(table, issuerKeysKey(issuerId), 'eventual')
      if (item === undefined) return undefined
      return { keys: textAt(item, 'keys'), fetchedAtMs: intAt(item, 'fetchedAtMs') }
    },

    //   A fetches keys 1 ── issuer rotates ── B fetches keys 2 ── B puts ✔ ── A's `< fetchedAtMs` is refused
    // Without the condition the late put of A would bring back keys that the issuer took back. A put
    // that is sent again is refused by itself. Dying between fetch and put: the next fetch puts.
    async put(issuerId, { fetchedAtMs, keys }) {
      const ttl = Math.floor(fetchedAtMs / 1_000) + LIFE_SEC
      await store.put(table, {
        item: { ...issuerKeysKey(issuerId), keys, fetchedAtMs, ttl },
        if: 'attribute_not_exists(#pk) OR #fetchedAtMs < :fetchedAtMs',
        values: { fetchedAtMs },
      })
    },
  }
}
