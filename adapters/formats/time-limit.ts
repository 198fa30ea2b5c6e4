/**
 * Runs synchronous work that may not end by itself, such as a regular expression that steps back for ever.
 * V8 can stop code on this thread for a `vm` script alone, so the work is called from one. That limit is of
 * the clock on the wall, which also runs while the processor does something else; so work that was stopped
 * and had little of the processor is run again, for longer. Work without side effects only: it can end
 * anywhere, and begin anew.
 */
import { constants, createContext, Script } from 'node:vm'

export type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'cut' }

/** Runs of one piece of work; each but the last had less than half of its time on the processor. */
export const TIMED_RUNS_MAX = 3
/** A function of 256 MB has a seventh of a processor. */
const LONGER_TIMES_MAX = 8

export function withinTime<T>(limitMs: number, work: () => T): Timed<T> {
  let timeoutMs = limitMs
  for (let run = 1; ; run += 1) {
    const before = process.threadCpuUsage()
    const timed = runOnce(timeoutMs, work)
    if (timed.kind === 'done' || run === TIMED_RUNS_MAX) return timed
    const { system, user } = process.threadCpuUsage(before)
    const spentMs = (system + user) / US_PER_MS
    if (spentMs >= limitMs / 2) return timed
    const times = timeoutMs / Math.max(spentMs, 1)
    timeoutMs = Math.ceil(limitMs * Math.min(LONGER_TIMES_MAX, times))
  }
}

const US_PER_MS = 1_000

/** One context, with nothing in it but the function that the script calls: half a millisecond, once. */
let shell: { readonly script: Script; readonly context: Shell } | undefined
type Shell = { work: () => void }

function runOnce<T>(timeout: number, work: () => T): Timed<T> {
  let done: Timed<T> = { kind: 'cut' }
  shell ??= { script: new Script('work()'), context: shellContext() }
  shell.context.work = () => {
    done = { kind: 'done', value: work() }
  }
  try {
    shell.script.runInContext(shell.context, { timeout })
  } catch (cause) {
    if (!isTimeout(cause)) throw cause
  } finally {
    shell.context.work = NOTHING
  }
  // Stopped after its last step: what it found is found.
  return done
}

/** Keeps no value alive between two runs. */
const NOTHING = () => undefined

function shellContext(): Shell {
  return Object.assign(createContext(constants.DONT_CONTEXTIFY), { work: NOTHING })
}

/** Made in the script's context, so it is no `Error` of this one. */
function isTimeout(cause: unknown): boolean {
  return Object(cause).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
