/**
 * One flush to the disk for everybody who waits. A flush takes a millisecond and more, a transaction some
 * microseconds, so many commits share one.
 *
 *   commits a, b ─▶ flush 1 begins ───────── ends ─▶ a and b are told
 *       commit c ──┐ (flush 1 may have begun before c: it does not count)
 *       commit d ──┴────────────── pause ── flush 2 ─────── ends ─▶ c and d are told
 *
 * Callers of the same turn share a flush, which begins behind them. Behind a flush that served several comes
 * the pause: more will come, and share the next one. Who writes alone, one thing after another, never waits for it.
 */

type Waiting = ReturnType<typeof Promise.withResolvers<void>> & { callers: number }

/** `pauseMs`: from the end of a flush to the next, so that many small ones do not keep a disk busy. */
export function groupSync(flush: () => Promise<void>, pauseMs = 0): () => Promise<void> {
  let waiting: Waiting | undefined
  let isBusy = false
  const start = () => {
    if (waiting === undefined) return
    const { callers, reject, resolve } = waiting
    waiting = undefined
    isBusy = true
    void flush()
      .then(resolve, reject)
      .then(() => {
        if (callers > 1 && pauseMs > 0) setTimeout(goOn, pauseMs)
        else goOn()
      })
  }
  const goOn = () => {
    isBusy = false
    start()
  }
  return () => {
    if (waiting === undefined) {
      waiting = { ...Promise.withResolvers<void>(), callers: 0 }
      if (!isBusy) process.nextTick(start)
    }
    waiting.callers += 1
    return waiting.promise
  }
}
