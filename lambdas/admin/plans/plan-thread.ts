/**
 * Both sides of a thread that makes plans: the door starts it, and the same file, started as a thread, serves one
 * request after the other. So a bundle need not keep the name of another file. Reads no store: the starter answers for it.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { PLAN_MEMORY_MB_MAX } from './plan-limits.ts'

const ROLE = 'skillgate-plan'

/** Young: V8's default for a small heap. Stack: documents nest 100 levels, and their parsers recurse. */
const MEMORY = {
  maxOldGenerationSizeMb: PLAN_MEMORY_MB_MAX,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
}

/** Starts it without an environment: the thread needs no variable of ours. */
export function startPlanThread(): Worker {
  // Flags of the process, which Lambda sets and `npm start`, would hold in place of these limits. They are read when a
  // heap is made, so only threads after this have none.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--max-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
  const options = { workerData: ROLE, env: {}, execArgv: [], resourceLimits: MEMORY }
  return new Worker(new URL(import.meta.url), options)
}

if (!isMainThread && parentPort !== null && workerData === ROLE) {
  const { serveJobs } = await import('./plan-work.ts')
  serveJobs(parentPort)
}
