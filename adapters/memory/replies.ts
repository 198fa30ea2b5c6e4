/**
 * In-memory twin of the port ReplyStream: the `partition` tail of core/session over the cells, woken
 * by the bell of the session instead of waiting for its next poll.
 *
 *   append: row put ─▶ bell rung ─▶ tail's sleep ends ─▶ poll finds the row
 * A ring between a poll and the sleep after it makes that sleep end at once: nothing waits unseen.
 */
import type { Clock, ReplyStream } from '../../core/ports.ts'
import { tailPartition } from '../../core/session/partition-tail.ts'
import type { SessionNews, StoredReply } from '../../core/session/session.ts'
import type { PartitionReads } from '../../core/session/tail-state.ts'
import { type Cells, replyExpiresAtMs } from './database.ts'
import { findSession } from './sessions.ts'

export function memoryReplies(cells: Cells, clock: Clock): ReplyStream {
  cells.replies.sweep(clock.nowMs())
  return {
    append: async ({ hash, seq, sealed }) => {
      const nowMs = clock.nowMs()
      const forgotten = seq <= (findSession(cells, hash, nowMs)?.session.base ?? 0)
      if (forgotten || cells.replies.get(hash, String(seq)) !== undefined) return 'taken'
      cells.replies.put(hash, String(seq), { seq, sealed, appendedAtMs: nowMs })
      cells.replies.sweepSome(nowMs)
      cells.bells.ring(hash)
      return 'appended'
    },
    tail: (hash, signal) => tailWithBell(cells, clock, hash, signal),
  }
}

async function* tailWithBell(
  cells: Cells,
  clock: Clock,
  hash: string,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  const bell = cells.bells.listen(hash)
  const tailClock = {
    nowMs: () => clock.nowMs(),
    sleep: (ms: number, cut?: AbortSignal) => bell.sleep(clock, ms, cut),
  }
  try {
    yield* tailPartition(readsOf(cells, clock, hash), tailClock, signal, neverHappens)
  } finally {
    bell.stop()
  }
}

function readsOf(cells: Cells, clock: Clock, hash: string): PartitionReads {
  return {
    readSession: async () => findSession(cells, hash, clock.nowMs())?.session,
    repliesBeyond: async (seq) => repliesBeyond(cells, clock.nowMs(), hash, seq),
  }
}

/** One look-up per accepted request beyond `seq`; only accepted requests have replies. */
function repliesBeyond(cells: Cells, nowMs: number, hash: string, seq: number): StoredReply[] {
  const found: StoredReply[] = []
  const last = findSession(cells, hash, nowMs)?.session.seq ?? 0
  for (let next = seq + 1; next <= last; next += 1) {
    const row = cells.replies.get(hash, String(next))
    if (row !== undefined && replyExpiresAtMs(row) > nowMs) found.push(row)
  }
  return found
}

/** Reading memory cannot fail; if it does, that is a bug and must be seen. */
function neverHappens(cause: unknown): never {
  throw cause
}
