/**
 * What waits for the end of a turn of the event loop: reads that share one look at the file, then the promises that
 * they settle, then all writes of the turn in one transaction.
 *
 *   request a: key ─┐                                     ┌─▶ a: count ──┐
 *   request b: key ─┼─ end of the turn: look, keys of a b ─┴─▶ b: count ──┼─ BEGIN … COMMIT
 *   call c: outcome ┴──────────────────────────────────────────────────────┘
 *
 * A look at the end of the turn is younger than all that the turn has heard.
 */

export type TurnEnd = {
  /** Runs once, before the writes of this turn. */
  read(run: () => void): void
  /** Runs once, behind the reads and the promises that they settled. */
  write(run: () => void): void
}

export function turnEnd(): TurnEnd {
  let reads: (() => void)[] = []
  let writes: (() => void)[] = []
  let isSet = false
  const runWrites = () => {
    isSet = false
    const all = writes
    writes = []
    for (const run of all) run()
    if (reads.length > 0) set()
  }
  const end = () => {
    if (reads.length === 0) return runWrites()
    const all = reads
    reads = []
    for (const run of all) run()
    afterPromises(runWrites)
  }
  const set = () => {
    if (!isSet) setImmediate(end)
    isSet = true
  }
  return {
    read: (run) => {
      reads.push(run)
      set()
    },
    write: (run) => {
      writes.push(run)
      set()
    },
  }
}

/** Runs `then` when this callback of the event loop and all promises that it settles are done. */
export function afterPromises(then: () => void): void {
  queueMicrotask(() => process.nextTick(then))
}
