/**
 * The code of the thread behind checkpoints.ts. First it moves all pages that can be moved while others
 * write. Then it takes the write lock for the few pages that came meanwhile, and the log begins anew;
 * writers that find the lock taken try again after a millisecond. The code is text: a thread from a file
 * would load the TypeScript loader, which doubles its memory, and a bundle has no such file.
 */

/**
 * Time to wait for other checkpoints and the last reader of the old log; the next checkpoint tries
 * again.
 */
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
