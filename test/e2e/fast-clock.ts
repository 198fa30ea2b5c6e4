/**
 * Preloaded into a twin (`node --import`): its clock and its timers run FACTOR times as fast, so
 * that tests observe minutes of it in seconds. SIGUSR2 sets its clock forward by nine minutes.
 * Changes nothing else, and nothing in the tests.
 */
const FACTOR = 12

const realNow = Date.now
const realSetTimeout = globalThis.setTimeout
const startedMs = realNow()
let jumpedMs = 0
process.on('SIGUSR2', () => {
  jumpedMs += 540_000
})

Date.now = () => Math.floor(startedMs + jumpedMs + (realNow() - startedMs) * FACTOR)

Object.defineProperty(globalThis, 'setTimeout', {
  value: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    realSetTimeout(run, ms / FACTOR, ...args),
})
