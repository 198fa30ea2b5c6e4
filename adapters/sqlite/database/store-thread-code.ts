/**
 * The code of the thread behind store-thread.ts. A checkpoint first moves all pages that can be moved while
 * others write. Then it takes the write lock for the few pages that came meanwhile, and the log begins anew;
 * writers that find the lock taken try again after a millisecond. The code is text: a thread from a file
 * would load the TypeScript loader, which doubles its memory, and a bundle has no such file. A module that
 * it is told to load brings that loader, unless Node has kept what it compiled.
 */

/**
 * Time to wait for other checkpoints and the last reader of the old log; the next checkpoint tries
 * again.
 */
const BUSY_MS_MAX = 200

/** The log must be on the disk before its pages are moved, and the pages before it begins anew: NORMAL. */
export const STORE_THREAD_CODE = `
const { DatabaseSync } = require('node:sqlite')
const { parentPort, workerData } = require('node:worker_threads')
let connection
const checkpoint = () => {
  if (connection === undefined) {
    connection = new DatabaseSync(workerData, { timeout: ${BUSY_MS_MAX} })
    connection.exec('PRAGMA synchronous = NORMAL')
    connection.exec('PRAGMA checkpoint_fullfsync = ON')
  }
  connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
  connection.exec('PRAGMA wal_checkpoint(RESTART)')
}
parentPort.on('message', ({ compiled, kind, module, start }) => {
  if (kind === 'checkpoint') {
    try {
      checkpoint()
      parentPort.postMessage({ kind: 'checkpointed', failed: undefined })
    } catch (cause) {
      parentPort.postMessage({ kind: 'checkpointed', failed: cause.message })
    }
  }
  if (kind === 'load') load(compiled, module).then(({ run }) => run(start))
})
const load = async (compiled, module) => {
  const { enableCompileCache, flushCompileCache } = require('node:module')
  if (compiled !== undefined) enableCompileCache(compiled)
  const loaded = await import(module)
  if (compiled !== undefined) flushCompileCache()
  return loaded
}
`
