/**
 * The work under way in this process: invocations and open responses. Lets the twin stop without
 * half-answered calls: streams end at once, calls get a moment, then everything is cut.
 */
export type CuttableResponse = {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
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
  const work = new Set<Promise<unknown>>()
  const open = new Map<CuttableResponse, 'stream' | 'call'>()
  let stopping = false
  const cut = (kind: 'stream' | 'call') => {
    for (const [response, is] of open) if (is === kind) response.destroy()
  }
  return {
    track: (promise) => {
      const done: Promise<void> = promise.then(ignore, ignore)
      work.add(done)
      void done.then(() => work.delete(done))
      return promise
    },
    opened: (response, kind) => {
      open.set(response, kind)
      response.once('close', () => open.delete(response))
      // A new stream on a connection that was open before the stop began.
      if (stopping && kind === 'stream') response.destroy()
    },
    stop: async (grace) => {
      stopping = true
      cut('stream')
      await untilEmpty(work, grace.callMs)
      cut('call')
      await untilEmpty(work, grace.refundMs)
    },
  }
}

async function untilEmpty(work: ReadonlySet<Promise<unknown>>, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  const empty = async () => {
    while (work.size > 0) await Promise.all(work)
  }
  await Promise.race([empty(), late])
  clearTimeout(timer)
}

function ignore(): void {}
