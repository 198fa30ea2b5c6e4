/**
 * Writes a user's sweep entry of the minute before the first hold in it, once per environment. The
 * write runs beside the minute's count, so the entry exists before the call can place its hold.
 */
import type { Ports } from '../../ports.ts'

/**
 * Users remembered at most. Past the limit the cache is emptied: writing an entry twice does no
 * harm.
 */
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
      // Another call may begin a new minute during `put`; this entry must not count for that
      // minute.
      const ofThisMinute = entered
      await ports.sweepEntries.put(sweepEntry)
      ofThisMinute.add(sweepEntry.uid)
    },
  }
}
