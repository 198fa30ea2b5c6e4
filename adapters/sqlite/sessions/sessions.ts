/**
 * The port Sessions. Each change rings the session's bell, so that a tail in this process hears of it at
 * once. The loss of power takes the stream with it, so nothing here waits for the disk.
 *
 *   two POSTs at once: each takes its number in its own transaction; the second sees the first's
 *   the same POST sent twice: the second finds the token of the first and gets its answer
 */
import type { Clock, Sessions } from '../../../core/ports.ts'
import type { Bells } from '../../../core/session/bells.ts'
import { PENDING_MAX } from '../../../core/session/limits.ts'
import type { Session } from '../../../core/session/session.ts'
import type { Database } from '../database/database.ts'
import { expiredSessions } from './expired-sessions.ts'
import { type SessionRow, type SessionRows, sessionRows } from './session-rows.ts'

type Post = Parameters<Sessions['accept']>[0]

export function sqliteSessions(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
  bells: Pick<Bells, 'ring'>,
): Sessions {
  const rows = sessionRows(database)
  const removeOld = expiredSessions(database)
  /** `work` answers whether it changed the record. */
  const change = async (hash: string, work: (row: SessionRow) => boolean) => {
    const changed = await database.write(() => {
      const row = rows.find(hash, clock.nowMs())
      return row !== undefined && work(row)
    })
    if (changed) bells.ring(hash)
  }
  return {
    create: async ({ pending, ...row }) => {
      await database.write(() => {
        rows.put(row)
        for (const [index, request] of pending.entries()) {
          rows.append(row.hash, row.base + 1 + index, request, '')
        }
        removeOld(clock.nowMs())
      })
      bells.ring(row.hash)
    },
    accept: async (post) => {
      const session = await database.write(() => acceptPost(rows, post, clock.nowMs()))
      if (session !== undefined && session !== 'full') bells.ring(post.hash)
      return session
    },
    read: (hash) =>
      database.snapshot(() => {
        const row = rows.find(hash, clock.nowMs())
        return row === undefined ? undefined : rows.whole(row)
      }),
    renew: (hash, aliveUntilMs) =>
      change(hash, (row) => {
        rows.put({ ...row, aliveUntilMs })
        return true
      }),
    forget: ({ hash, ifBase, base }) =>
      change(hash, (row) => {
        if (row.base !== ifBase) return false
        rows.put({ ...row, base })
        rows.forget(hash, base)
        return true
      }),
    end: async ({ hash, nowMs, ifSeq }) => {
      let ended = true
      await change(hash, (row) => {
        if (row.endedAtMs !== undefined) return false
        ended = ifSeq === undefined || row.seq === ifSeq
        if (ended) rows.put({ ...row, endedAtMs: nowMs })
        return ended
      })
      return ended
    },
  }
}

/** A token that stands already is the same POST again: it gets the answer of the first time. */
function acceptPost(
  rows: SessionRows,
  { client, hash, nowMs, request, writeToken }: Post,
  clockMs: number,
): Session | 'full' | undefined {
  const row = rows.find(hash, clockMs)
  if (row === undefined) return undefined
  const standing = request === undefined ? undefined : rows.seqOf(hash, writeToken)
  if (standing !== undefined) return asOf(rows.whole(row), standing)
  if (row.endedAtMs !== undefined || row.aliveUntilMs <= nowMs) return undefined
  // The numbers from base + 1 to seq are those of the pending requests.
  if (request !== undefined && row.seq - row.base >= PENDING_MAX) return 'full'
  const seq = request === undefined ? row.seq : row.seq + 1
  const named = client === undefined || request === undefined ? row : { ...row, client }
  const accepted = { ...named, seq, lastPostAtMs: nowMs }
  rows.put(accepted)
  if (request !== undefined) rows.append(hash, seq, request, writeToken)
  return rows.whole(accepted)
}

function asOf(session: Session, seq: number): Session {
  return { ...session, seq, pending: session.pending.slice(0, seq - session.base) }
}
