/**
 * input:{hash}: a question of a running call to its client, and the answer after the client posts
 * it. `hash` reveals neither the question's id nor the key; the answer is sealed.
 * docs/decisions/0026.
 */
import type { ClientResponses } from '../../../core/ports/sessions.ts'
import { INPUT_ANSWER_TTL_SEC } from '../../../core/session/limits.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { optionalBytesAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { INPUT_PK, inputKey } from '../table.ts'

export const CLIENT_RESPONSE_PERMISSIONS: Permissions<ClientResponses> = {
  expect: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [INPUT_PK] }],
  put: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [INPUT_PK] }],
  read: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [INPUT_PK] }],
}

export function dynamoClientResponses(store: DynamoStore): ClientResponses {
  const table = store.tables.sessions
  return {
    // A late copy of this write is refused, so it cannot erase an answer that came in between.
    async expect({ hash, expiresAtMs }) {
      const ttl = Math.ceil(expiresAtMs / 1000) + INPUT_ANSWER_TTL_SEC
      const item = { ...inputKey(hash), expiresAtMs, ttl }
      await store.put(table, { item, if: 'attribute_not_exists(#pk)' })
    },

    //   A: put ✔ ──────▶ read by the call        B after it: refused, A's answer remains
    //   put repeated after a lost answer: refused by itself; the call has the answer
    // Dying before: the client sends it again, or the question expires. An answer to an unknown or
    // expired question is refused.
    async put({ hash, nowMs, sealed }) {
      const answer = await store.update(table, {
        key: inputKey(hash),
        set: 'SET #sealed = :sealed',
        if: 'attribute_exists(#pk) AND attribute_not_exists(#sealed) AND #expiresAtMs > :nowMs',
        values: { sealed, nowMs },
      })
      return answer.kind === 'written'
    },

    async read(hash) {
      const item = await store.get(table, inputKey(hash), 'consistent')
      return item === undefined ? undefined : optionalBytesAt(item, 'sealed')
    },
  }
}
