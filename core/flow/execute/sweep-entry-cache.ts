/**
 * Marks a user's minute for the sweep before the first hold in it, once per environment: the mark is
 * written beside the minute's count, so it is there before any hold of this call can be.
 */
import type { Ports } from '../../ports.ts'

/** Users remembered at most; past it the memory starts afresh (a mark written twice does no harm). */
const REMEMBERED_MAX = 10_000

export type SweepMemory = {
  ensure(ports: Pick<Ports, 'sweepMarks'>, mark: { uid: string; minute: number }): Promise<void>
}

export function sweepMemory(): SweepMemory {
  let minute = -1
  let marked = new Set<string>()
  return {
    async ensure(ports, mark) {
      if (mark.minute !== minute || marked.size >= REMEMBERED_MAX) {
        minute = mark.minute
        marked = new Set()
      }
      if (marked.has(mark.uid)) return
      // By now another call may have begun a new minute: this mark does not count in that one.
      const ofThisMinute = marked
      await ports.sweepMarks.mark(mark)
      ofThisMinute.add(mark.uid)
    },
  }
}
