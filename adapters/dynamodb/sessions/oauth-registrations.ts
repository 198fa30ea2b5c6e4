/**
 * oauth_client:{id}: the client id that an authorization server gave to the gateway, so that it
 * registers once and not once for each process. The client is public: the id is no secret. Bound by
 * ADR 0125.
 */
import type { OAuthRegistrations } from '../../../core/ports/oauth-registrations.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { isExpired, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { OAUTH_CLIENT_PK, oauthClientKey } from '../table.ts'

export const OAUTH_REGISTRATIONS_PERMISSIONS: Permissions<OAuthRegistrations> = {
  find: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [OAUTH_CLIENT_PK] }],
  add: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [OAUTH_CLIENT_PK] }],
}

export function dynamoOAuthRegistrations(store: DynamoStore): OAuthRegistrations {
  const table = store.tables.sessions
  return {
    async find(id, nowMs) {
      const item = await store.get(table, oauthClientKey(id), 'eventual')
      return item === undefined || isExpired(item, nowMs) ? undefined : textAt(item, 'clientId')
    },

    //   A registers a ── B registers b ── A adds a ✔ ── B's add is refused, and returns a
    // So all logins after the first add use one client; b stays at the server unused. An add that is
    // sent again after a lost answer is refused and returns its own id. Dying between registration
    // and add: the next login registers again.
    async add(id, { clientId, expiresAtMs }, nowMs) {
      const ttl = Math.floor(expiresAtMs / 1_000)
      const answer = await store.put(table, {
        item: { ...oauthClientKey(id), clientId, ttl },
        if: 'attribute_not_exists(#pk) OR #ttl <= :nowSec',
        values: { nowSec: Math.floor(nowMs / 1_000) },
      })
      if (answer.kind === 'written' || answer.old === undefined) return clientId
      return textAt(answer.old, 'clientId')
    },
  }
}
