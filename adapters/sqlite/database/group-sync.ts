/**
 * One flush to the disk for everybody who waits. A flush takes a millisecond and more, a transaction some
 * microseconds, so many commits share one.
 *
 *   commit a ─▶ flush 1 begins ────────── ends ─▶ a is told
 *       commit b ──┐ (flush 1 may have begun before b: it does not count)
 *       commit c ──┴──────────────────── flush 2 ───────── ends ─▶ b and c are told
 */
import { setTimeout } from 'node:timers/promises'

/** `pauseMs`: from the end of a flush to the next, so that many small ones do not keep a disk busy. */
export function groupSync(flush: () => Promise<void>, pauseMs = 0): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = () => {
    const flushing = flush().finally(() => {
      if (running === flushing) running = undefined
    })
    running = flushing
    return flushing
  }
  const follow = async (before: Promise<void>) => {
    // Those who waited for it have been told.
    await before.catch(() => {})
    if (pauseMs > 0) await setTimeout(pauseMs)
    next = undefined
    return start()
  }
  return () => {
    if (running === undefined) return start()
    next ??= follow(running)
    return next
  }
}
