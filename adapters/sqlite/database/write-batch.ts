/**
 * Writes that come in one turn of the event loop share a transaction: most of what one costs is its commit.
 *
 *   call a: hold ──┐                                   ┌─▶ a is told
 *   call b: count ─┼─ end of the turn: BEGIN a b c COMMIT ─▶ b is told
 *   call c: release┘                                   └─▶ c is told
 *
 * Each write sees the rows of those before it, as if it had come alone after them. When one throws, or the
 * commit fails, the batch is rolled back, and each write runs again alone with a result of its own. So a
 * write has no effect outside the database. A lock of another program ends them all at once: each by
 * itself would only wait for it again, one after the other.
 */
import { isLockedOut } from './store-fault.ts'

/** A batch ends when it has held the event loop for so long; the rest comes in the next turn. */
export const BATCH_MS_MAX = 2

type Waiting = { run(): void; succeed(): void; fail(cause: unknown): void }

/** `transact` runs its argument in one transaction; more than once when another process is in the way. */
export function writeBatch(
  transact: (work: () => void) => Promise<void>,
): <T>(work: () => T) => Promise<T> {
  let waiting: Waiting[] = []

  const eachByItself = async (all: readonly Waiting[]) => {
    for (const { fail, run, succeed } of all) await transact(run).then(succeed, fail)
  }
  const together = async () => {
    const all = waiting
    waiting = []
    let runs = 0
    try {
      await transact(() => {
        runs = runInTime(all)
      })
    } catch (cause) {
      if (!isLockedOut(cause)) return eachByItself(all)
      for (const { fail } of all) fail(cause)
      return
    }
    for (const { succeed } of all.slice(0, runs)) succeed()
    if (runs < all.length) add(all.slice(runs))
  }
  const add = (more: readonly Waiting[]) => {
    if (waiting.length === 0) setImmediate(() => void together())
    waiting.push(...more)
  }
  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      let result: T
      const run = () => {
        result = work()
      }
      add([{ run, succeed: () => resolve(result), fail: reject }])
    })
}

/** Runs at least one; returns how many. */
function runInTime(all: readonly Waiting[]): number {
  const lastMs = performance.now() + BATCH_MS_MAX
  let runs = 0
  for (const { run } of all) {
    run()
    runs += 1
    if (performance.now() > lastMs) break
  }
  return runs
}
