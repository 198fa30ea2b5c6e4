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
  renew: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [STREAMS_PK] }],
  list: [{ table: 'sessions', actions: ['Query'], keyPrefixes: [STREAMS_PK] }],
  remove: [{ table: 'sessions', actions: ['DeleteItem'], keyPrefixes: [STREAMS_PK] }],
}

export function dynamoLeases(store: DynamoStore): StreamLeases {
  const table = store.tables.sessions
  return {
    // A transaction for its token: a copy that arrives late, perhaps after the end of the stream, makes no
    // lease. An opener that hears no answer at all gives up; its put may still be carried out, and counts
    // until 75 s after the opening, like the lease of an opener that died (ADR 0058).
    async put(lease) {
      const item = { ...leaseKey(lease.keyHash, lease.session), ...lease }
      const put = { ...item, ttl: ttlSec(lease.expiresAtMs) }
      await store.transact([{ table, put, if: 'attribute_not_exists(#pk)' }])
    },

    // A renewal beside the removal by another stream: the removal first, and the renewal is refused, so
    // that its stream ends; the renewal first, and the next one is refused. Sent twice: the same. Late,
    // after a younger renewal: refused, so that no lease ends before its stream has been told.
    async renew({ expiresAtMs, keyHash, session }) {
      const answer = await store.update(table, {
        key: leaseKey(keyHash, session),
        set: 'SET #expiresAtMs = :expiresAtMs, #ttl = :ttl',
        if: 'attribute_exists(#pk) AND #expiresAtMs <= :expiresAtMs',
        values: { expiresAtMs, ttl: ttlSec(expiresAtMs) },
      })
      return answer.kind === 'written' || answer.old !== undefined
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

function ttlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}

function leaseFrom(item: Item): StreamLease {
  return {
    keyHash: textAt(item, 'keyHash'),
    session: textAt(item, 'session'),
    openedAtMs: intAt(item, 'openedAtMs'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
  }
}
