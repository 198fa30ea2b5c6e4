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

type Waiting = {
  /** What the last run of `work` returned. */
  result: unknown
  readonly work: () => unknown
  resolve(result: unknown): void
  reject(cause: unknown): void
}

/**
 * `transact` runs its argument in one transaction; more than once when another process is in the way. `atEnd` runs
 * its own at the end of the turn.
 */
export function writeBatch(
  transact: (work: () => void) => Promise<void>,
  atEnd: (run: () => void) => void = setImmediate,
): <T>(work: () => T) => Promise<T> {
  let waiting: Waiting[] = []

  const eachByItself = async (all: readonly Waiting[]) => {
    for (const one of all) await transact(() => run(one)).then(() => succeed(one), one.reject)
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
      for (const { reject } of all) reject(cause)
      return
    }
    const rest = all.splice(runs)
    for (const one of all) succeed(one)
    for (const one of rest) add(one)
  }
  const runTogether = () => void together()
  const add = (one: Waiting) => {
    if (waiting.length === 0) atEnd(runTogether)
    waiting.push(one)
  }
  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      add({ result: undefined, work, resolve, reject })
    })
}

function run(one: Waiting): void {
  one.result = one.work()
}

function succeed(one: Waiting): void {
  one.resolve(one.result)
}

/** Runs at least one; returns how many. */
function runInTime(all: readonly Waiting[]): number {
  const lastMs = performance.now() + BATCH_MS_MAX
  let runs = 0
  for (const one of all) {
    run(one)
    runs += 1
    if (performance.now() > lastMs) break
  }
  return runs
}
