/**
 * What the thread behind checkpoints.ts runs. First everything that can be moved while others write; then,
 * with the write lock held for the few pages that came meanwhile, the log begins anew. Writers find it
 * busy then and try again after a millisecond. As text, since a thread from a file would load the
 * TypeScript loader for it, which doubles its memory, and a bundle has no such file.
 */

/** For other checkpoints and the last reader of the old log; given up, the next one does it. */
const BUSY_MS_MAX = 200

/** The log must be on the disk before its pages are moved, and the pages before it begins anew: NORMAL. */
export const CHECKPOINT_CODE = `
const { DatabaseSync } = require('node:sqlite')
const { parentPort, workerData } = require('node:worker_threads')
const connection = new DatabaseSync(workerData, { timeout: ${BUSY_MS_MAX} })
connection.exec('PRAGMA synchronous = NORMAL')
connection.exec('PRAGMA checkpoint_fullfsync = ON')
parentPort.on('message', () => {
  try {
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
    connection.exec('PRAGMA wal_checkpoint(RESTART)')
    parentPort.postMessage({ failed: undefined })
  } catch (cause) {
    parentPort.postMessage({ failed: cause.message })
  }
})
`
