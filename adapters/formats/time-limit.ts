/**
 * Runs synchronous work with a part that may not end by itself, such as a regular expression that backtracks
 * without end. V8 can stop code on this thread only inside a `vm` script, so the work is called from one. The
 * script's limit is wall-clock time, and of all the work. So work that was stopped after that part took little
 * CPU time is run again, with a longer limit. Only for work without side effects: it can end anywhere and begin
 * again.
 */
import { constants, createContext, Script } from 'node:vm'

export type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'cut' }

/** Runs of one piece of work; in each but the last, the limited part had less than half of its time. */
export const TIMED_RUNS_MAX = 3
/** How many times the limit a later run may take: a function of 192 MB has a ninth of a processor. */
const LONGER_TIMES_MAX = 8

/** `limitedMs` returns the wall-clock time of the limited part in the last run. */
export function withinTime<T>(limitMs: number, work: () => T, limitedMs: () => number): Timed<T> {
  let timeoutMs = limitMs
  for (let run = 1; ; run += 1) {
    const startedAt = performance.now()
    const before = cpuUsage()
    const timed = runOnce(timeoutMs, work)
    if (timed.kind === 'done' || run === TIMED_RUNS_MAX) return timed
    const { system, user } = cpuUsage(before)
    const share = limitedMs() / (performance.now() - startedAt)
    const spentMs = ((system + user) / US_PER_MS) * share
    if (spentMs >= limitMs / 2) return timed
    timeoutMs = Math.min(limitMs + 2 * (timeoutMs - spentMs), limitMs * LONGER_TIMES_MAX)
    timeoutMs = Math.ceil(timeoutMs)
  }
}

const US_PER_MS = 1_000

/** CPU time of this thread. Node 22 measures only the process: there, work beside other work is stopped sooner. */
function cpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  return process.threadCpuUsage?.(before) ?? process.cpuUsage(before)
}

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
  // Stopped after its last step: the result is complete.
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
