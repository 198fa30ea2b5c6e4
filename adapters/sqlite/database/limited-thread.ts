/**
 * Starts a thread beside the event loop, with a limit to its memory. It has no environment and none of
 * the process's flags: a preloaded file (`--import`) would load the TypeScript loader.
 */
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

export type ThreadLimits = {
  /** Past it the thread ends, and the process does not. */
  readonly heapMb: number
  /** For new objects, beside `heapMb`. */
  readonly youngMb: number
}

/** `code` is CommonJS; it finds `data` as `workerData`. */
export function startLimitedThread(code: string, data: unknown, limits: ThreadLimits): Worker {
  // Flags of the process, which `npm start` sets, would hold in place of the limits. They are read when a
  // heap is made, so only threads after this have none.
  setFlagsFromString('--max-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
  const { heapMb, youngMb } = limits
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb }
  return new Worker(code, { eval: true, workerData: data, env: {}, execArgv: [], resourceLimits })
}
