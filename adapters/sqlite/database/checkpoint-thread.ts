/**
 * The thread behind checkpoints.ts. First everything that can be moved while others write; then, with the
 * write lock held for the few pages that came meanwhile, the log begins anew. Writers find it busy then
 * and try again after a millisecond.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** For other checkpoints and the last reader of the old log; given up, the next one does it. */
const BUSY_MS_MAX = 200

const connection = new DatabaseSync(String(workerData), { timeout: BUSY_MS_MAX })
// The log must be on the disk before its pages are moved, and the pages before it begins anew.
connection.exec('PRAGMA synchronous = NORMAL')
connection.exec('PRAGMA checkpoint_fullfsync = ON')

parentPort?.on('message', () => {
  try {
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    connection.exec('PRAGMA wal_checkpoint(RESTART)')
    parentPort?.postMessage({ failed: undefined })
  } catch (cause) {
    parentPort?.postMessage({ failed: cause instanceof Error ? cause.message : String(cause) })
  }
})
