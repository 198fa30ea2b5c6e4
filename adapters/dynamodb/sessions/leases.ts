/**
 * streams:{part}/{keyHash}#{session}: the leases of open streams, in eight partitions by their
 * session (docs/design/streams.md#leases). The first partition is `streams`. It also holds the slots of stream readers
 * (reader-slots.ts), which are no leases. The record openings: how many streams were open at the
 * last list of all leases, and how many openings were counted since. The sum is an upper bound of
 * the open streams, so few openings must list all leases (docs/design/streams.md#leases).
 */
import { Fault } from '../../../core/errors.ts'
import type { StreamLeases } from '../../../core/ports/sessions.ts'
import { LIST_AGE_MAX_MS } from '../../../core/session/lease-policy.ts'
import type { OpeningCount, StreamLease } from '../../../core/session/session.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  leaseKey,
  OPENINGS_PK,
  openingsKey,
  READER_SK,
  STREAMS_PARTS,
  STREAMS_PARTS_PK,
  STREAMS_PK,
  streamsPk,
} from '../table.ts'

const KEY_PREFIXES = [STREAMS_PK, STREAMS_PARTS_PK]

type Openings = Pick<StreamLeases, 'countOpening' | 'noteListed'>

const OPENINGS_PERMISSIONS: Permissions<Openings> = {
  countOpening: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [OPENINGS_PK] }],
  noteListed: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [OPENINGS_PK] }],
}

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
  // Reads all parts at once, each strongly consistent. Of two openers, the one whose lease was
  // written last reads every part after that write, so it finds the other's lease in any part.
  //   A: put in part 3 ──── lists parts 0 … 7            A may miss B: then B was written after
  //   B:                put in part 5 ── lists parts 0 … 7: A ✔         A had listed part 5
  const listLeases = async (prefix: string | undefined, nowMs: number) => {
    const where = prefix === undefined ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)'
    const narrowed = prefix === undefined ? {} : { prefix }
    const parts = await Promise.all(
      Array.from({ length: STREAMS_PARTS }, (_, part) =>
        store.query(table, { where, values: { pk: streamsPk(part), ...narrowed } }),
      ),
    )
    const leases = parts.flat().filter((item) => !textAt(item, 'sk').startsWith(READER_SK))
    return leases.map(fromLeaseItem).filter((lease) => lease.expiresAtMs > nowMs)
  }
  return {
    // A transaction because of its token: a late copy, perhaps after the end of the stream, makes
    // no lease. An opener that gets no answer gives up. If its put still succeeds, the lease is
    // valid until 75 s after the opening, like the lease of an opener that died (docs/design/streams.md#leases).
    async put(lease) {
      const item = { ...leaseKey(lease.keyHash, lease.session), ...lease }
      const put = { ...item, ttl: toTtlSec(lease.expiresAtMs) }
      await store.transact([{ table, put, if: 'attribute_not_exists(#pk)' }])
    },

    // A renewal and a removal by another stream at once: if the removal is first, the renewal is
    // refused and its stream ends; if the renewal is first, the next one is refused. A repeated
    // renewal has the same effect. A late copy, after a younger renewal, is refused, so no lease
    // ends too early.
    async renew({ expiresAtMs, keyHash, session }) {
      const answer = await store.update(table, {
        key: leaseKey(keyHash, session),
        set: 'SET #expiresAtMs = :expiresAtMs, #ttl = :ttl',
        if: 'attribute_exists(#pk) AND #expiresAtMs <= :expiresAtMs',
        values: { expiresAtMs, ttl: toTtlSec(expiresAtMs) },
      })
      return answer.kind === 'written' || answer.old !== undefined
    },

    list: (nowMs) => listLeases(undefined, nowMs),

    listOfKey: (keyHash, nowMs) => listLeases(leaseKey(keyHash, '').sk, nowMs),

    ...makeOpenings(store),

    async remove({ keyHash, session }) {
      await store.remove(table, leaseKey(keyHash, session))
    },
  }
}

function toTtlSec(expiresAtMs: number): number {
  return Math.ceil(expiresAtMs / 1000)
}

function fromLeaseItem(item: Item): StreamLease {
  return {
    keyHash: textAt(item, 'keyHash'),
    session: textAt(item, 'session'),
    openedAtMs: intAt(item, 'openedAtMs'),
    expiresAtMs: intAt(item, 'expiresAtMs'),
  }
}

function makeOpenings(store: DynamoStore): Openings {
  const table = store.tables.sessions
  return {
    // A late copy, a refused opener and an ended stream make the bound too large until the next
    // list.
    async countOpening(nowMs) {
      const answer = await store.update(table, {
        key: openingsKey(),
        set: 'ADD #openings :one',
        values: { one: 1 },
      })
      if (answer.kind !== 'written') throw new Fault('internal', 'openings: were not counted')
      return readCount(answer.item, nowMs)
    },

    // Subtracts the openings that were counted before the list began: their leases were stored by
    // then. Of two lists that follow the same list, only the first is noted, so a late copy does
    // nothing.
    async noteListed({ list, openings }, listed, nowMs) {
      const values = { list: (list ?? 0) + 1, listed, nowMs, less: -openings }
      await store.change(table, {
        key: openingsKey(),
        set: 'SET #list = :list, #listed = :listed, #listedAtMs = :nowMs ADD #openings :less',
        if: list === undefined ? 'attribute_not_exists(#list)' : '#list = :before',
        values: list === undefined ? values : { ...values, before: list },
      })
    },
  }
}

function readCount(item: Item, nowMs: number): OpeningCount {
  const openings = intAt(item, 'openings')
  if (item['list'] === undefined) return { atMost: Infinity, openings, list: undefined }
  const isNew = nowMs - intAt(item, 'listedAtMs') <= LIST_AGE_MAX_MS
  const atMost = isNew ? intAt(item, 'listed') + openings : Infinity
  return { atMost, openings, list: intAt(item, 'list') }
}
