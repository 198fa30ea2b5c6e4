/**
 * Preloaded into a twin (`node --import`): its clock and its timers run FACTOR times as fast, so
 * that tests observe minutes of it in seconds. Changes nothing else, and nothing in the tests.
 */
const FACTOR = 12

const realNow = Date.now
const realSetTimeout = globalThis.setTimeout
const startedMs = realNow()

Date.now = () => Math.floor(startedMs + (realNow() - startedMs) * FACTOR)

Object.defineProperty(globalThis, 'setTimeout', {
  value: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    realSetTimeout(run, ms / FACTOR, ...args),
})
