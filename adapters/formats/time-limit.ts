/**
 * Runs synchronous work with a part that may not end by itself, such as a regular expression that backtracks
 * without end. V8 can stop code on this thread only inside a `vm` script, so the work is called from one. The
 * script's limit is wall-clock time, and of all the work. So work that was stopped before that part had its
 * processor time is run again, for as long as it seems to need at the share of a processor that the thread had.
 * Only for work without side effects: it can end anywhere and begin again (ADR 0079).
 */
import { constants, createContext, Script } from 'node:vm'

export type Timed<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'cut' }

/** Runs of one piece of work: the first, two that find out how long it takes, and one to its end. */
export const TIMED_RUNS_MAX = 4
/**
 * How many times the limit a run may take. A check of a million steps takes 50 ms of a processor and its patterns 25; a function
 * of 192 MB has a ninth of one, where that is 27 times the limit. Steps that V8 has not optimised yet take up to twice as long.
 */
const LONGER_TIMES_MAX = 48
/** Over the last run, whose share is a rough measure: Linux counts a thread's time in ticks of up to 10 ms. */
const GROWTH_MAX = 10
/** Of the limit: a part that had so much processor time is not run again. A tick may be missing. */
const SPENT_SHARE = 0.8
/** A run gets so many times what it seems to need. */
const MARGIN = 1.25

/** `limitedMs` returns the wall-clock time of the limited part in the last run. */
export function withinTime<T>(limitMs: number, work: () => T, limitedMs: () => number): Timed<T> {
  let timeoutMs = limitMs
  for (let run = 1; ; run += 1) {
    const startedAt = performance.now()
    const before = cpuUsage()
    const timed = runOnce(timeoutMs, work)
    if (timed.kind === 'done' || run === TIMED_RUNS_MAX) return timed
    const wallMs = performance.now() - startedAt
    const { system, user } = cpuUsage(before)
    const cpuMs = (system + user) / US_PER_MS
    const spentMs = cpuMs * (limitedMs() / wallMs)
    if (spentMs >= limitMs * SPENT_SHARE) return timed
    // The rest twice, since it may have been stopped anywhere. Without processor time this is infinite.
    const neededMs = (limitMs + 2 * (cpuMs - spentMs)) * (wallMs / cpuMs) * MARGIN
    const longestMs = Math.min(timeoutMs * GROWTH_MAX, limitMs * LONGER_TIMES_MAX)
    timeoutMs = Math.ceil(Math.min(neededMs, longestMs))
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
