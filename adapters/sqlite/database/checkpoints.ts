/**
 * Moves what the log (-wal) holds into the database, in the store's thread: a checkpoint writes and flushes
 * for tens of milliseconds, which no event loop may wait for. A twin that serves a few calls makes none.
 */
import type { StatementSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import type { Checkpointed, StoreThread, ToStoreThread } from './store-thread.ts'

/** 16 MB of log. Longer logs make reading slower and a start after a crash longer. */
export const LOG_PAGES_MAX = 4_000
/** Transactions between two looks at the log. */
const LOOK_EVERY_COMMITS = 256

export type Checkpoints = {
  committed(): void
}

/**
 * `look` is `PRAGMA wal_checkpoint(NOOP)`: it counts and moves nothing. A checkpoint that failed is reported; a
 * later one may succeed, in another thread if this one has ended.
 */
export function checkpointsOf(
  threads: Pick<StoreThread, 'get'>,
  look: StatementSync,
  onTrouble: (cause: unknown) => void,
): Checkpoints {
  let commits = 0
  let heard: Worker | undefined
  let running = false
  const failed = (cause: unknown) => {
    if (running) onTrouble(cause)
    running = false
  }
  const hear = (thread: Worker) => {
    heard = thread
    thread.on('message', ({ failed: message, kind }: Checkpointed) => {
      if (kind !== 'checkpointed') return
      if (message !== undefined) failed(new Error(message))
      running = false
    })
    thread.on('error', failed)
    thread.on('exit', () => {
      running = false
    })
  }
  const begin = () => {
    const thread = threads.get()
    if (thread !== heard) hear(thread)
    running = true
    thread.postMessage({ kind: 'checkpoint' } satisfies ToStoreThread)
  }
  return {
    committed: () => {
      commits += 1
      if (running || commits < LOOK_EVERY_COMMITS) return
      commits = 0
      if (waitingPages(look) > LOG_PAGES_MAX) begin()
    },
  }
}

function waitingPages(look: StatementSync): number {
  const { log, checkpointed } = look.get() ?? {}
  return Number(log) - Number(checkpointed)
}
