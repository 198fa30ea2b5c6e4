/**
 * session:{hash}/meta: the record of an open stream. Every write is one conditional request,
 * without a read before it. Nothing sealed is opened. Bound by docs/service.md, Sessions.
 */
import type { Sessions } from '../../../core/ports/sessions.ts'
import { PENDING_MAX, toSessionExpiryMs } from '../../../core/session/limits.ts'
import type { Session } from '../../../core/session/session.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Item } from '../client/item.ts'
import type { Update } from '../client/update.ts'
import type { Permissions } from '../permission.ts'
import {
  findSessionAfterWrite,
  fromSessionItem,
  toSessionItem,
  toSessionTtlSec,
} from '../records/session-item.ts'
import { SESSION_PK, sessionKey } from '../table.ts'

/** List entries that one update removes: the expression stays far below its limit of 4 kB. */
export const FORGET_STEP_MAX = 50

type Post = Parameters<Sessions['accept']>[0]

export const SESSIONS_PERMISSIONS: Permissions<Sessions> = {
  create: [{ table: 'sessions', actions: ['PutItem'], keyPrefixes: [SESSION_PK] }],
  accept: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [SESSION_PK] }],
  read: [{ table: 'sessions', actions: ['GetItem'], keyPrefixes: [SESSION_PK] }],
  renew: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [SESSION_PK] }],
  forget: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [SESSION_PK] }],
  end: [{ table: 'sessions', actions: ['UpdateItem'], keyPrefixes: [SESSION_PK] }],
}

export function dynamoSessions(store: DynamoStore): Sessions {
  const table = store.tables.sessions
  return {
    // A put that is repeated after a lost answer is refused by itself: the session exists. So a
    // late duplicate never undoes an accept. Dying before or after: no client has the id.
    async create(session) {
      await store.put(table, { item: toSessionItem(session), if: 'attribute_not_exists(#pk)' })
    },

    accept: (post) => accept(store, post),

    async read(hash) {
      return readSession(store, hash, 'consistent')
    },

    // An end or an accept at the same time writes other attributes. Without the condition, a
    // renewal would restore a record that TTL has deleted, with only these attributes. A late
    // renewal would also shorten the time that a younger one has set.
    async renew(hash, aliveUntilMs) {
      await store.update(table, {
        key: sessionKey(hash),
        set: 'SET #aliveUntilMs = :aliveUntilMs, #ttl = :ttl',
        if: 'attribute_exists(#pk) AND #aliveUntilMs <= :aliveUntilMs',
        values: { aliveUntilMs, ttl: toSessionTtlSec(aliveUntilMs) },
      })
    },

    async forget({ hash, ifBase, base }) {
      for (let from = ifBase; from < base; from += FORGET_STEP_MAX) {
        const to = Math.min(base, from + FORGET_STEP_MAX)
        const answer = await store.update(table, makeForgetUpdate(hash, from, to))
        if (answer.kind === 'refused') return
      }
    },

    // An accept and an end at once:
    //   accept first ── `seq = :ifSeq` is refused ── false: the stream lives on for the request
    //   end first ───── the accept is refused ────── 404, the client opens a new stream
    // Two ends: the time of the first remains; the second finds it and also returns true. Dying
    // before: `aliveUntilMs` of the stream passes. Dying after: the session is ended.
    async end({ hash, nowMs, ifSeq }) {
      const open = 'attribute_exists(#pk) AND attribute_not_exists(#endedAtMs)'
      const answer = await store.update(table, {
        key: sessionKey(hash),
        set: 'SET #endedAtMs = :nowMs',
        if: ifSeq === undefined ? open : `${open} AND #seq = :ifSeq`,
        values: ifSeq === undefined ? { nowMs } : { nowMs, ifSeq },
      })
      if (answer.kind === 'written' || answer.old === undefined) return true
      return fromSessionItem(answer.old).endedAtMs !== undefined
    },
  }
}

/** Undefined if there is no session, or if it has expired and TTL has not deleted it yet. */
export async function readSession(
  store: DynamoStore,
  hash: string,
  read: 'consistent' | 'eventual',
): Promise<Session | undefined> {
  const item = await store.get(store.tables.sessions, sessionKey(hash), read)
  if (item === undefined) return undefined
  const session = fromSessionItem(item)
  return toSessionExpiryMs(session) <= store.clock.nowMs() ? undefined : session
}

/**
 * Two POSTs at once: one item, so DynamoDB orders them; each gets a seq of its own.
 *
 *   first try ── written, answer lost ──▶ second try: refused by its own write token ──▶ old item
 *                                          shows it in place i: its seq is base + 1 + i
 *
 * A POST and an end at once: see `end`. Dying before: nothing is written, and the client gets an
 * error. Dying after, before the request is handed on: the stream answers it after 16 s. A
 * notification is not in the list: written twice, it only updates `lastPostAtMs` twice.
 */
async function accept(store: DynamoStore, post: Post): ReturnType<Sessions['accept']> {
  const answer = await store.update(store.tables.sessions, makeAcceptUpdate(post))
  if (answer.kind === 'written') return fromSessionItem(answer.item)
  if (answer.old === undefined || post.request === undefined) return undefined
  const accepted = findSessionAfterWrite(answer.old, post.writeToken)
  return accepted ?? (isFull(answer.old, post.nowMs) ? 'full' : undefined)
}

/** True if only the full list refused the request; false if the session is over. */
function isFull(item: Item, nowMs: number): boolean {
  const { aliveUntilMs, endedAtMs, pending } = fromSessionItem(item)
  return endedAtMs === undefined && aliveUntilMs > nowMs && pending.length >= PENDING_MAX
}

function makeAcceptUpdate({ client, hash, nowMs, writeToken, request }: Post): Update {
  const key = sessionKey(hash)
  const open =
    'attribute_exists(#pk) AND attribute_not_exists(#endedAtMs) AND #aliveUntilMs > :nowMs'
  if (request === undefined) {
    return { key, set: 'SET #lastPostAtMs = :nowMs', if: open, values: { nowMs } }
  }
  return {
    key,
    set:
      'SET #lastPostAtMs = :nowMs, #seq = #seq + :one, ' +
      '#pending = list_append(#pending, :requests), #writeTokens = list_append(#writeTokens, :writeTokens)' +
      (client === undefined ? '' : ', #client = :client'),
    if: `${open} AND NOT contains(#writeTokens, :writeToken) AND size(#pending) < :max`,
    values: {
      nowMs,
      max: PENDING_MAX,
      one: 1,
      requests: [request],
      writeTokens: [writeToken],
      writeToken,
      ...(client === undefined ? {} : { client }),
    },
  }
}

/**
 * Two callers forget the same entries: `base` refuses the second, which has nothing to do. An
 * accept at the same time appends at the other end. Dying between two steps: `base` is where the
 * next call starts.
 */
function makeForgetUpdate(hash: string, from: number, to: number): Update {
  const indexes = Array.from({ length: to - from }, (_, index) => to - from - 1 - index)
  // The last index is first: DynamoDB uses the indexes of the old list, but an emulator that
  // removes entries one after the other must get the same result.
  const removed = indexes.map((index) => `#pending[${index}], #writeTokens[${index}]`).join(', ')
  return {
    key: sessionKey(hash),
    set: `SET #base = :to REMOVE ${removed}`,
    if: '#base = :from AND #seq >= :to',
    values: { from, to },
  }
}
