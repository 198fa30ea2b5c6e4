/**
 * In-memory twin of the port ReplyStream: the `partition` tail of core/session over the database, woken
 * by the bell of the session instead of waiting for its next poll.
 *
 *   append: row put ─▶ bell rung ─▶ tail's sleep ends ─▶ poll finds the row
 * A ring between a poll and the sleep after it makes that sleep end at once: nothing waits unseen.
 */
import type { Clock, ReplyStream } from '../../core/ports.ts'
import { tailPartition } from '../../core/session/partition-tail.ts'
import type { StoredReply } from '../../core/session/session.ts'
import type { PartitionReads } from '../../core/session/tail-state.ts'
import type { SeqRange } from '../../core/session/watermark.ts'
import { type Database, replyExpiresAtMs } from './database.ts'
import { findSession } from './sessions.ts'

export function memoryReplies(database: Database, clock: Clock): ReplyStream {
  database.replies.sweep(clock.nowMs())
  return {
    append: async ({ hash, seq, sealed }) => {
      const nowMs = clock.nowMs()
      const forgotten = seq <= (findSession(database, hash, nowMs)?.session.base ?? 0)
      if (forgotten || database.replies.get(hash, String(seq)) !== undefined) return 'taken'
      database.replies.put(hash, String(seq), { seq, sealed, appendedAtMs: nowMs })
      database.replies.sweepSome(nowMs)
      database.bells.ring(hash)
      return 'appended'
    },
    tail: (hash, signal) =>
      tailPartition(readsOf(database, clock, hash), clock, signal, {
        onTrouble: neverHappens,
        openBell: () => {
          const { sleep, stop } = database.bells.listen(hash)
          return { stop, pause: (ms, cut) => sleep(clock, ms, cut) }
        },
      }),
  }
}

function readsOf(database: Database, clock: Clock, hash: string): PartitionReads {
  return {
    readSession: async () => findSession(database, hash, clock.nowMs())?.session,
    repliesIn: async (range) => ({
      replies: repliesIn(database, clock.nowMs(), hash, range),
      isCut: false,
    }),
  }
}

/** One look-up per accepted request in the range; only accepted requests have replies. */
function repliesIn(
  database: Database,
  nowMs: number,
  hash: string,
  { after, upTo }: SeqRange,
): StoredReply[] {
  const found: StoredReply[] = []
  const newest = findSession(database, hash, nowMs)?.session.seq ?? 0
  const last = Math.min(upTo ?? newest, newest)
  for (let next = after + 1; next <= last; next += 1) {
    const row = database.replies.get(hash, String(next))
    if (row !== undefined && replyExpiresAtMs(row) > nowMs) found.push(row)
  }
  return found
}

/** Reading memory cannot fail; if it does, that is a bug and must be seen. */
function neverHappens(cause: unknown): never {
  throw cause
}
