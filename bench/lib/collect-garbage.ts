/** Preloaded (`--import`) into each measured server: collects its garbage when its parent asks, and tells the bytes that are left. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Of the most thorough kind: a plain `gc()` leaves V8's cache of compiled sources, megabytes that a later
 * collection frees at some time. What the first frees may hold buffers, and code that nobody runs goes when it has been
 * found old.
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

/** The bench has died: nobody else would end this process. */
process.on('disconnect', () => process.exit())
