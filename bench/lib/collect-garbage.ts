/**
 * Preloaded (`--import`) into each measured server: collects its garbage when its parent requests
 * it, and reports the bytes that are left.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Number of collections, of the most thorough kind. A plain `gc()` leaves V8's cache of compiled
 * sources, megabytes that a later collection frees at some time. The objects that the first
 * collection frees may hold buffers, and unused code is freed only after V8 found it old.
 */
const COLLECTIONS = 3

process.on('message', () => {
  setFlagsFromString('--expose-gc')
  for (let round = 0; round < COLLECTIONS; round += 1) {
    runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })")
  }
  const { external, heapUsed } = process.memoryUsage()
  process.send?.(heapUsed + external)
})

/** Ends this process if the bench has died, because nothing else would. */
process.on('disconnect', () => process.exit())
