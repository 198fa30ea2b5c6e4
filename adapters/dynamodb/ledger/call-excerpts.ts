/**
 * excerpt:{uid}/{callId}: the start of the upstream's answer to a failed call, for administrators.
 * It is written after the call is answered, and expires after a week.
 */
import type { CallExcerpts } from '../../../core/ports/usage.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { isExpired, textAt } from '../client/item.ts'
import { removeFirst } from '../client/remove-first.ts'
import type { Permissions } from '../permission.ts'
import { EXCERPT_PK, excerptKey } from '../table.ts'

export const CALL_EXCERPT_PERMISSIONS: Permissions<CallExcerpts> = {
  put: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [EXCERPT_PK] }],
  find: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [EXCERPT_PK] }],
  dropOwned: [{ table: 'sessions', actions: ['Query', 'DeleteItem'], keyPrefixes: [EXCERPT_PK] }],
}

export function dynamoCallExcerpts(store: DynamoStore): CallExcerpts {
  const table = store.tables.sessions
  return {
    // A repeated write has the same text, since a call ends once.
    async put({ callId, expiresAtMs, text, uid }) {
      const ttl = Math.ceil(expiresAtMs / 1_000)
      await store.put(table, { item: { ...excerptKey(uid, callId), text, ttl } })
    },

    async find({ callId, uid }) {
      const item = await store.get(table, excerptKey(uid, callId), 'consistent')
      if (item === undefined || isExpired(item, store.clock.nowMs())) return undefined
      return textAt(item, 'text')
    },

    async dropOwned({ limit, uid }) {
      const { pk } = excerptKey(uid, '-')
      return removeFirst(store, table, { pk, limit })
    },
  }
}
