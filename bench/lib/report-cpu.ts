/**
 * Preloaded (`--import`) into each server of bench:mcp: tells its parent the CPU it has used, and
 * takes a CPU profile of a stretch of its life (`profile`, then `profiled` with a file to write to), and
 * collects its garbage (`collect`).
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Microseconds; finer ones would be measured themselves. */
const SAMPLE_EVERY_US = 200

/**
 * Of the most thorough kind: a plain `gc()` leaves V8's cache of compiled sources, megabytes that a later
 * collection frees at some time. What the first frees may hold buffers, and code that nobody runs goes when it has been
 * found old.
 */
const COLLECTIONS = 3

const session = new Session()

process.on('message', async (command: { readonly kind: string; readonly file: string }) => {
  switch (command.kind) {
    case 'profile':
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
      await session.post('Profiler.start')
      break
    case 'profiled': {
      const { profile } = await session.post('Profiler.stop')
      writeFileSync(command.file, JSON.stringify(profile))
      break
    }
    case 'collect':
      setFlagsFromString('--expose-gc')
      for (let round = 0; round < COLLECTIONS; round += 1) {
        runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })")
      }
      break
    default:
  }
  const { system, user } = process.cpuUsage()
  const { external, heapUsed } = process.memoryUsage()
  process.send?.({ cpuUs: system + user, heldBytes: heapUsed + external })
})

/** The bench has died: nobody else would end this process. */
process.on('disconnect', () => process.exit())
