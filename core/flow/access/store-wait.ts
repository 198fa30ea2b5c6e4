/**
 * How long one request waits for the store, under one alarm: a chain of reads, each of which would wait for
 * its own time limit and go on without an answer, ends as soon as a single one. Bound by
 * docs/service.md, Tool list.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * A healthy store answers in milliseconds; a client's patience begins at 5 s. One attempt of our clients of
 * the store takes 2 s at most, so a second one fits in part.
 */
export const STORE_WAIT_MS = 3_000

/**
 * A stream that opens makes eight requests in a row, and one that fails ends it. The alarm is for a store that
 * answers slowly or not at all, each time within the client's own limits; what was written ends by itself.
 */
export const OPEN_WAIT_MS = 30_000

export type StoreWait = {
  /** The work's outcome, or a rejection with `Fault('store_unavailable')` once the time is over. */
  within<T>(work: () => Promise<T>): Promise<T>
  /** Begins again for the next request of a batch, unless the store has let an earlier one wait in vain. */
  renew(): void
}

/** Work that comes too late goes on by itself, and its outcome is nobody's. */
export function storeWait(
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
        const silence = alarm(leftMs, end)
        work().then(resolve, reject).finally(silence)
      }),
    renew: () => {
      endsAtMs = nowMs() + waitMs
    },
  }
}
