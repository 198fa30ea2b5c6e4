/**
 * Both sides of a thread that makes plans. The door starts the thread from this file; the same
 * file, started as a thread, serves one request after the other. So a bundle does not depend on the
 * name of another file. The thread reads no store: the door reads for it.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { PLAN_MEMORY_MB_MAX } from './plan-limits.ts'

const THREAD_ROLE = 'skillgate-plan'

/**
 * The limits of a thread. The young generation has V8's default for a small heap. The stack is
 * large because documents nest 100 levels and their parsers recurse.
 */
const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: PLAN_MEMORY_MB_MAX,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
}

/** Starts a thread without environment variables, because it needs none. */
export function startPlanThread(): Worker {
  // Flags of the process, which Lambda and `npm start` set, would replace these limits. V8 reads
  // flags when it creates a heap, so this change only affects later threads.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--max-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
  const options = {
    workerData: THREAD_ROLE,
    env: {},
    execArgv: [],
    resourceLimits: RESOURCE_LIMITS,
  }
  return new Worker(new URL(import.meta.url), options)
}

if (!isMainThread && parentPort !== null && workerData === THREAD_ROLE) {
  const { serveJobs } = await import('./plan-work.ts')
  serveJobs(parentPort)
}
