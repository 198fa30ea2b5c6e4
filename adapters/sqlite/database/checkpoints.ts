/**
 * Moves what the log (-wal) holds into the database, in a thread of its own: a checkpoint writes and
 * flushes for tens of milliseconds, which no event loop may wait for. The thread begins with the first
 * checkpoint; a twin that serves a few calls has none.
 */
import type { StatementSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { CHECKPOINT_CODE } from './checkpoint-code.ts'
import { startLimitedThread } from './limited-thread.ts'

/** 16 MB of log. Longer logs make reading slower and a start after a crash longer. */
export const LOG_PAGES_MAX = 4_000
/** The thread holds two statements. */
const MEMORY = { heapMb: 16, youngMb: 4 }
/** Transactions between two looks at the log. */
const LOOK_EVERY_COMMITS = 256

export type Checkpoints = {
  committed(): void
  close(): Promise<void>
}

/** `look` is `PRAGMA wal_checkpoint(NOOP)`: it counts and moves nothing. */
export function checkpointsOf(
  path: string,
  look: StatementSync,
  onTrouble: (cause: unknown) => void,
): Checkpoints {
  let commits = 0
  let worker: Worker | undefined
  let running = false
  const begin = () => {
    running = true
    worker ??= startWorker(path, (cause) => {
      running = false
      if (cause !== undefined) onTrouble(cause)
    })
    worker.postMessage('checkpoint')
  }
  return {
    committed: () => {
      commits += 1
      if (running || commits < LOOK_EVERY_COMMITS) return
      commits = 0
      if (waitingPages(look) > LOG_PAGES_MAX) begin()
    },
    close: async () => {
      await worker?.terminate()
      worker = undefined
    },
  }
}

function waitingPages(look: StatementSync): number {
  const { log, checkpointed } = look.get() ?? {}
  return Number(log) - Number(checkpointed)
}

/**
 * Calls `done` at the end of each checkpoint, with the cause when it failed; a later one may
 * succeed.
 */
function startWorker(path: string, done: (cause: unknown) => void): Worker {
  const worker = startLimitedThread(CHECKPOINT_CODE, path, MEMORY)
  worker.on('message', ({ failed }: { readonly failed: string | undefined }) =>
    done(failed === undefined ? undefined : new Error(failed)),
  )
  worker.on('error', done)
  worker.unref()
  return worker
}
