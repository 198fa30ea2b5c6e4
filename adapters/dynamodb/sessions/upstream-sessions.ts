/**
 * upstream_session:{id}: how to speak to an MCP server with one user's credential, and the session
 * there. Sealed under the credential, so a copy of the table opens no session. Bound by ADR 0124.
 */
import type { UpstreamSessions } from '../../../core/ports/upstream-sessions.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, isExpired } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { UPSTREAM_SESSION_PK, upstreamSessionKey } from '../table.ts'

export const UPSTREAM_SESSIONS_PERMISSIONS: Permissions<UpstreamSessions> = {
  put: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [UPSTREAM_SESSION_PK] }],
  read: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [UPSTREAM_SESSION_PK] }],
}

export function dynamoUpstreamSessions(store: DynamoStore): UpstreamSessions {
  const table = store.tables.sessions
  return {
    async read(id, nowMs) {
      const item = await store.get(table, upstreamSessionKey(id), 'eventual')
      return item === undefined || isExpired(item, nowMs) ? undefined : bytesAt(item, 'sealed')
    },

    //   A opens session 1 ── B opens session 2 ── A puts 1 ── B puts 2     1 is A's alone, 2 is shared
    // Needs no condition: both sessions work, and a session that is over is opened again.
    async put({ expiresAtMs, id, sealed }) {
      const ttl = Math.ceil(expiresAtMs / 1_000)
      await store.put(table, { item: { ...upstreamSessionKey(id), sealed, ttl } })
    },
  }
}
