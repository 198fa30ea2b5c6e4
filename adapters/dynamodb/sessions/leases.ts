/**
 * streams/{keyHash}#{session}: the open streams. All leases share one partition, so that one Query
 * counts them; renewals of 1,000 streams stay far below its 1,000 writes a second. The readers of the
 * table's stream stand there, too (reader-slots.ts), and are no leases.
 */
import type { StreamLeases } from '../../../core/ports.ts'
import type { StreamLease } from '../../../core/session/session.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { leaseKey, READER_SK, STREAMS_PK } from '../table.ts'

export const LEASES_PERMISSIONS: Permissions<StreamLeases> = {
  put: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [STREAMS_PK] }],
  list: [{ table: 'sessions', actions: ['Query'], keyPrefixes: [STREAMS_PK] }],
  remove: [{ table: 'sessions', actions: ['DeleteItem'], keyPrefixes: [STREAMS_PK] }],
}

export function dynamoLeases(store: DynamoStore): StreamLeases {
  const table = store.tables.sessions
  return {
    // Unconditional: a stream writes only its own lease. A lease renewed just after another stream
    // removed it comes back for one lifetime; the next read of the leases finds it again.
    async put(lease) {
      const item = { ...leaseKey(lease.keyHash, lease.session), ...lease }
      await store.put(table, { item: { ...item, ttl: Math.ceil(lease.expiresAtMs / 1000) } })
    },

    async list(nowMs) {
      const { pk } = leaseKey('-', '-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk } })
      const leases = items.filter((item) => !textAt(item, 'sk').startsWith(READER_SK))
      return leases.map(leaseFrom).filter((lease) => lease.expiresAtMs > nowMs)
    },

    async remove({ keyHash, session }) {
      await store.remove(table, leaseKey(keyHash, session))
    },
  }
}

function leaseFrom(item: Item): StreamLease {
  return {
    keyHash: textAt(item, 'keyHash'),
    session: textAt(item, 'session'),
    openedAtMs: intAt(item, 'openedAtMs'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
  }
}
