/** A session's row, and its pending requests beside it: entry i has the number base + 1 + i. */
import { sessionExpiresAtMs } from '../../../core/session/limits.ts'
import type { PendingRequest, Session, StreamSession } from '../../../core/session/session.ts'
import type { Database } from '../database/database.ts'
import {
  flagAt,
  intAt,
  optionalBytesAt,
  optionalIntAt,
  optionalTextAt,
  type Row,
  textAt,
} from '../database/row.ts'

export type SessionRow = Omit<Session, 'pending'>

export type SessionRows = {
  /** Undefined when there is none, or its time is over. */
  find(hash: string, nowMs: number): SessionRow | undefined
  /** {@link find} for a stream, which polls: without its sealed header. */
  findForStream(hash: string, nowMs: number): StreamSession | undefined
  whole(row: SessionRow): Session
  put(row: SessionRow): void
  /** The number of the request that was accepted under this token. */
  seqOf(hash: string, writeToken: string): number | undefined
  append(hash: string, seq: number, request: PendingRequest, writeToken: string): void
  /** Requests, and replies, up to this number. */
  forget(hash: string, base: number): void
}

export function sessionRows(database: Database): SessionRows {
  const find = database.prepare('SELECT * FROM sessions WHERE hash = ? AND expiresAtMs > ?')
  const findForStream = database.prepare(
    `SELECT hash, keyHash, uid, createdAtMs, lastPostAtMs, aliveUntilMs, endedAtMs, seq, base, client
     FROM sessions WHERE hash = ? AND expiresAtMs > ?`,
  )
  const put = database.prepare(
    `INSERT OR REPLACE INTO sessions
       (hash, keyHash, uid, sealedAuthorization, createdAtMs, lastPostAtMs, aliveUntilMs,
        endedAtMs, seq, base, expiresAtMs, client)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const pending = database.prepare('SELECT * FROM pending_requests WHERE hash = ? ORDER BY seq')
  const byToken = database.prepare(
    'SELECT seq FROM pending_requests WHERE hash = ? AND writeToken = ?',
  )
  const append = database.prepare(
    `INSERT INTO pending_requests (hash, seq, id, postedAtMs, calls, writeToken)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const forgetRequests = database.prepare(
    'DELETE FROM pending_requests WHERE hash = ? AND seq <= ?',
  )
  const forgetReplies = database.prepare('DELETE FROM replies WHERE hash = ? AND seq <= ?')
  const pendingOf = (hash: string) => pending.all(hash).map(pendingFrom)
  return {
    find: (hash, nowMs) => {
      const row = find.get(hash, nowMs)
      return row === undefined ? undefined : sessionFrom(row)
    },
    findForStream: (hash, nowMs) => {
      const row = findForStream.get(hash, nowMs)
      return row === undefined ? undefined : { ...streamRowFrom(row), pending: pendingOf(hash) }
    },
    whole: (row) => ({ ...row, pending: pendingOf(row.hash) }),
    put: (row) => void put.run(...columnsOf(row)),
    seqOf: (hash, writeToken) => {
      const row = byToken.get(hash, writeToken)
      return row === undefined ? undefined : intAt(row, 'seq')
    },
    append: (hash, seq, { calls, id, postedAtMs }, writeToken) =>
      void append.run(hash, seq, id, postedAtMs, calls ? 1 : 0, writeToken),
    forget: (hash, base) => {
      forgetRequests.run(hash, base)
      forgetReplies.run(hash, base)
    },
  }
}

function sessionFrom(row: Row): SessionRow {
  const sealedAuthorization = optionalBytesAt(row, 'sealedAuthorization')
  return { ...streamRowFrom(row), sealedAuthorization }
}

function streamRowFrom(row: Row): Omit<SessionRow, 'sealedAuthorization'> {
  const client = optionalTextAt(row, 'client')
  return {
    hash: textAt(row, 'hash'),
    keyHash: textAt(row, 'keyHash'),
    uid: optionalTextAt(row, 'uid'),
    ...(client === undefined ? {} : { client }),
    createdAtMs: intAt(row, 'createdAtMs'),
    lastPostAtMs: intAt(row, 'lastPostAtMs'),
    aliveUntilMs: intAt(row, 'aliveUntilMs'),
    endedAtMs: optionalIntAt(row, 'endedAtMs'),
    seq: intAt(row, 'seq'),
    base: intAt(row, 'base'),
  }
}

/** In the order of the statement. */
function columnsOf(row: SessionRow): (string | number | Uint8Array | null)[] {
  const { aliveUntilMs, createdAtMs, endedAtMs, hash, keyHash, lastPostAtMs } = row
  return [
    ...[hash, keyHash, row.uid ?? null, row.sealedAuthorization ?? null, createdAtMs],
    ...[lastPostAtMs, aliveUntilMs, endedAtMs ?? null, row.seq, row.base],
    ...[sessionExpiresAtMs(row), row.client ?? null],
  ]
}

function pendingFrom(row: Row): PendingRequest {
  return {
    id: textAt(row, 'id'),
    postedAtMs: intAt(row, 'postedAtMs'),
    calls: flagAt(row, 'calls'),
  }
}
