/**
 * Enters a user's minute for the sweep before the first hold in it, once per environment: the sweep entry is
 * written beside the minute's count, so it is there before any hold of this call can be.
 */
import type { Ports } from '../../ports.ts'

/** Users remembered at most; past it the cache starts afresh (a sweep entry written twice does no harm). */
const REMEMBERED_MAX = 10_000

export type SweepEntryCache = {
  ensure(
    ports: Pick<Ports, 'sweepEntries'>,
    sweepEntry: { uid: string; minute: number },
  ): Promise<void>
}

export function sweepEntryCache(): SweepEntryCache {
  let minute = -1
  let entered = new Set<string>()
  return {
    async ensure(ports, sweepEntry) {
      if (sweepEntry.minute !== minute || entered.size >= REMEMBERED_MAX) {
        minute = sweepEntry.minute
        entered = new Set()
      }
      if (entered.has(sweepEntry.uid)) return
      // By now another call may have begun a new minute: this sweep entry does not count in that one.
      const ofThisMinute = entered
      await ports.sweepEntries.put(sweepEntry)
      ofThisMinute.add(sweepEntry.uid)
    },
  }
}
