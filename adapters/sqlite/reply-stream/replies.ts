/**
 * The port ReplyStream: the `partition` tail of core/session over the rows, woken by the bell of the
 * session instead of waiting for its next poll.
 *
 *   this process:    row put ─▶ bell rung ─▶ tail's sleep ends ─▶ poll finds the row
 *   another process: row put ─▶ its commit is noticed within 50 ms ─▶ all bells rung ─▶ the same
 *
 * A ring between a poll and the sleep after it makes that sleep end at once: nothing waits unseen. So a
 * poll without a ring only finds that the session's time is over, and may be rare.
 */
import type { Clock, ReplyStream } from '../../../core/ports.ts'
import type { Bells } from '../../../core/session/bells.ts'
import { REPLY_TTL_SEC } from '../../../core/session/limits.ts'
import { tailPartition } from '../../../core/session/partition-tail.ts'
import type { StoredReply } from '../../../core/session/session.ts'
import type { PartitionReads } from '../../../core/session/tail-state.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { bytesAt, intAt, type Row } from '../database/row.ts'
import { sessionRows } from '../sessions/session-rows.ts'

/**
 * From one poll to the next when no bell rings: at the pace for DynamoDB a thousand quiet streams would poll
 * 4,000 times a second. A poll amid pending requests may leave the session's record out, so the end of a
 * session is noticed after this time at most.
 */
const QUIET_MS = 2_000

/** A row holds a whole reply: 1 MiB at most. */
const ROWS_PER_READ = 16

export function sqliteReplies(
  database: Database,
  clock: Clock,
  bells: Bells,
  onTrouble: (cause: unknown) => void,
): ReplyStream {
  const sessions = sessionRows(database)
  const insert = database.prepare(
    `INSERT INTO replies (hash, seq, sealed, expiresAtMs) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const removeOld = expiredRows(database, { table: 'replies', key: 'rowid', end: 'expiresAtMs' })
  const reads = replyReads(database, clock)
  return {
    append: async ({ hash, seq, sealed }) => {
      const nowMs = clock.nowMs()
      const appended = await database.write(() => {
        if (seq <= (sessions.find(hash, nowMs)?.base ?? 0)) return false
        const { changes } = insert.run(hash, seq, sealed, nowMs + REPLY_TTL_SEC * 1_000)
        removeOld(nowMs)
        return changes === 1
      })
      if (!appended) return 'taken'
      bells.ring(hash)
      return 'appended'
    },
    tail: (hash, signal) =>
      tailPartition(reads(hash), clock, signal, {
        onTrouble,
        openBell: () => {
          const { sleep, stop } = bells.listen(hash)
          return {
            stop,
            pause: (ms, cut, trouble) => sleep(clock, trouble ? ms : Math.max(ms, QUIET_MS), cut),
          }
        },
      }),
  }
}

function replyReads(database: Database, clock: Clock): (hash: string) => PartitionReads {
  const sessions = sessionRows(database)
  const inRange = database.prepare(
    `SELECT seq, sealed FROM replies
     WHERE hash = ? AND seq > ? AND seq <= ? AND expiresAtMs > ? ORDER BY seq LIMIT ${ROWS_PER_READ}`,
  )
  return (hash) => ({
    readSession: () => database.snapshot(() => sessions.findForStream(hash, clock.nowMs())),
    repliesIn: async ({ after, upTo = Number.MAX_SAFE_INTEGER }) => {
      const rows = await database.read(() => inRange.all(hash, after, upTo, clock.nowMs()))
      return { replies: rows.map(replyFrom), isCut: rows.length === ROWS_PER_READ }
    },
  })
}

function replyFrom(row: Row): StoredReply {
  return { seq: intAt(row, 'seq'), sealed: bytesAt(row, 'sealed') }
}
