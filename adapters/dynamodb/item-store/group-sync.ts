/**
 * One flush to the disk for all callers that wait. A flush takes a millisecond or more, a
 * transaction some microseconds, so many commits share a flush.
 *
 *   commits a, b ─▶ flush 1 begins ───────── ends ─▶ a and b are answered
 *       commit c ──┐ (flush 1 may have begun before c, so c needs another)
 *       commit d ──┴────────────── pause ── flush 2 ─────── ends ─▶ c and d are answered
 *
 * Callers of the same turn share the flush that begins after them. A pause follows a flush that
 * served several callers, so that later callers share the next one. A caller that writes alone, one
 * item after another, never waits for the pause.
 */

type Waiting = ReturnType<typeof Promise.withResolvers<void>> & { callers: number }

/**
 * `pauseMs`: from the end of a flush to the next, so that small flushes do not keep a disk busy.
 */
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
        if (callers > 1 && pauseMs > 0) setTimeout(continueAfterFlush, pauseMs)
        else continueAfterFlush()
      })
  }
  const continueAfterFlush = () => {
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
