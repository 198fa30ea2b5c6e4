/**
 * How long one request waits for the store in all. Without this limit, a chain of reads could wait
 * once for each read. With it, the chain ends as soon as a single read would. Bound by
 * docs/service.md, Tool list.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * A healthy store answers in milliseconds, and the most impatient clients wait 5 s. One attempt of
 * our store clients takes 2 s at most, so part of a second attempt fits.
 */
export const STORE_WAIT_MS = 3_000

/**
 * A stream that opens makes eight store requests in a row, and one failure ends the opening. This
 * limit is for a store that answers slowly but within the client's own limits. Records that were
 * written expire by themselves.
 */
export const OPEN_WAIT_MS = 30_000

export type StoreWait = {
  /**
   * The outcome of `work`, or a rejection with `Fault('store_unavailable')` once the time is over.
   */
  within<T>(work: () => Promise<T>): Promise<T>
  /**
   * Starts the time again for the next request of a batch, unless an earlier one ran out of time.
   */
  renew(): void
}

/**
 * Starts the time of one request, in milliseconds. Work that is too late runs on, and its outcome
 * is ignored.
 */
export function startStoreWait(
  { alarm, nowMs }: Pick<Ports['clock'], 'alarm' | 'nowMs'>,
  waitMs = STORE_WAIT_MS,
): StoreWait {
  let endsAtMs = nowMs() + waitMs
  let isOver = false
  return {
    within: (work) =>
      new Promise((resolve, reject) => {
        const end = () => {
          isOver = true
          reject(new Fault('store_unavailable', `no answer within ${waitMs} ms`))
        }
        const leftMs = endsAtMs - nowMs()
        if (isOver || leftMs <= 0) return end()
        const cancelAlarm = alarm(leftMs, end)
        work().then(resolve, reject).finally(cancelAlarm)
      }),
    renew: () => {
      endsAtMs = nowMs() + waitMs
    },
  }
}
