/**
 * The invocations and open responses of this process. A server stops without half-answered calls:
 * streams end at once, calls get some time, then all of them are cut.
 */
import { makeTransientItems } from '../../core/cache/transient-items.ts'

export type CuttableResponse = {
  destroy(): unknown
  on(event: 'close', listener: () => void): unknown
}

export type RunningWork = {
  /** Tracks work until it ends. */
  track<T>(work: Promise<T>): Promise<T>
  /** Notes an open response: a `stream` stays open, a `call` ends when it is answered. */
  opened(response: CuttableResponse, kind: 'stream' | 'call'): void
  /** Ends streams, waits for calls, cuts the remaining ones, and waits for their refunds. */
  stop(grace: { readonly callMs: number; readonly refundMs: number }): Promise<void>
}

export function makeRunningWork(): RunningWork {
  const open = makeTransientItems<CuttableResponse>()
  let works = 0
  let onEmpty: (() => void) | undefined
  let stopping = false
  const ended = () => {
    works -= 1
    if (works === 0) onEmpty?.()
  }
  const cut = (kind: 'stream' | 'call') => {
    for (const response of open.of(kind)) response.destroy()
  }
  const waitUntilEmpty = (graceMs: number) =>
    new Promise<void>((resolve) => {
      const late = setTimeout(resolve, graceMs)
      onEmpty = () => {
        clearTimeout(late)
        resolve()
      }
      if (works === 0) onEmpty()
    })
  return {
    track: (promise) => {
      works += 1
      promise.then(ended, ended)
      return promise
    },
    opened: (response, kind) => {
      response.on('close', open.add(kind, response))
      // A stream that begins during the stop, on a connection that was already open.
      if (stopping && kind === 'stream') response.destroy()
    },
    stop: async (grace) => {
      stopping = true
      cut('stream')
      await waitUntilEmpty(grace.callMs)
      cut('call')
      await waitUntilEmpty(grace.refundMs)
    },
  }
}
