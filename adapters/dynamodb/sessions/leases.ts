/**
 * streams:{part}/{keyHash}#{session}: the open streams. Leases lie in eight partitions, by their session (ADR 0066).
 * The first one is `streams`. The readers of the table's stream are there, too (reader-slots.ts), and are no leases.
 */
import type { StreamLeases } from '../../../core/ports/sessions.ts'
import type { StreamLease } from '../../../core/session/session.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  leaseKey,
  READER_SK,
  STREAMS_PARTS,
  STREAMS_PARTS_PK,
  STREAMS_PK,
  streamsPk,
} from '../table.ts'
import { dynamoOpenings, OPENINGS_PERMISSIONS } from './openings.ts'

const KEY_PREFIXES = [STREAMS_PK, STREAMS_PARTS_PK]

export const LEASES_PERMISSIONS: Permissions<StreamLeases> = {
  put: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: KEY_PREFIXES }],
  renew: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: KEY_PREFIXES }],
  list: [{ table: 'sessions', actions: ['Query'], keyPrefixes: KEY_PREFIXES }],
  listOfKey: [{ table: 'sessions', actions: ['Query'], keyPrefixes: KEY_PREFIXES }],
  ...OPENINGS_PERMISSIONS,
  remove: [{ table: 'sessions', actions: ['DeleteItem'], keyPrefixes: KEY_PREFIXES }],
}

export function dynamoLeases(store: DynamoStore): StreamLeases {
  const table = store.tables.sessions
  // All parts at once, each strongly consistent. Of two openers, the one whose lease was written last
  // asks for every part after that write, so it finds the other's lease, wherever that lies.
  //   A: put in part 3 ──── lists parts 0 … 7            A may miss B: then B was written after
  //   B:                put in part 5 ── lists parts 0 … 7: A ✔         A had listed part 5
  const listed = async (prefix: string | undefined, nowMs: number) => {
    const where = prefix === undefined ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)'
    const narrowed = prefix === undefined ? {} : { prefix }
    const parts = await Promise.all(
      Array.from({ length: STREAMS_PARTS }, (_, part) =>
        store.query(table, { where, values: { pk: streamsPk(part), ...narrowed } }),
      ),
    )
    const leases = parts.flat().filter((item) => !textAt(item, 'sk').startsWith(READER_SK))
    return leases.map(leaseFrom).filter((lease) => lease.expiresAtMs > nowMs)
  }
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

    list: (nowMs) => listed(undefined, nowMs),

    listOfKey: (keyHash, nowMs) => listed(leaseKey(keyHash, '').sk, nowMs),

    ...dynamoOpenings(store),

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
