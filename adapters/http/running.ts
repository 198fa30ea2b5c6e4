/**
 * The work under way in this process: invocations and open responses. Lets a server stop without
 * half-answered calls: streams end at once, calls get a moment, then everything is cut.
 */
import { transientItems } from '../../core/cache/transient-items.ts'

export type CuttableResponse = {
  destroy(): unknown
  on(event: 'close', listener: () => void): unknown
}

export type RunningWork = {
  /** Tracks work until it ends. */
  track<T>(work: Promise<T>): Promise<T>
  /** A `stream` stays open without end; a `call` ends when it is answered. */
  opened(response: CuttableResponse, kind: 'stream' | 'call'): void
  /** Ends streams, waits for the work, cuts calls that are left, waits for their refunds. */
  stop(grace: { readonly callMs: number; readonly refundMs: number }): Promise<void>
}

export function makeRunning(): RunningWork {
  const open = transientItems<CuttableResponse>()
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
  const untilEmpty = (graceMs: number) =>
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
      // A new stream on a connection that was open before the stop began.
      if (stopping && kind === 'stream') response.destroy()
    },
    stop: async (grace) => {
      stopping = true
      cut('stream')
      await untilEmpty(grace.callMs)
      cut('call')
      await untilEmpty(grace.refundMs)
    },
  }
}
