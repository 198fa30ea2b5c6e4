// The actions of one function, in the order in which its Runtime API saw them. Tests assert the
// order of entries (`index`); `atMs` is for people who read them.

export type TimelineKind =
  | 'started' // an environment's process was spawned
  | 'ready' // it asked for its first invocation: init is over
  | 'given' // it was handed an invocation
  | 'prelude' // status and headers of a streamed response are complete
  | 'chunk' // one write of the response body
  | 'responseEnd' // the response is complete, or was given up
  | 'failed' // the invocation failed: error report, trailers, crash or timeout
  | 'nextPoll' // the environment asked for more: the handler has run to its end
  | 'exited' // the environment's process is gone

export type TimelineEntry = {
  readonly index: number
  /** milliseconds since the timeline began */
  readonly atMs: number
  readonly kind: TimelineKind
  readonly environmentId: number
  readonly requestId?: string
  /** chunk: its text; failed: the error type */
  readonly text?: string
  readonly bytes?: number
}

export type TimelineNote = Omit<TimelineEntry, 'index' | 'atMs'>

type Waiter = { readonly matches: (entry: TimelineEntry) => boolean; readonly found: () => void }

/** Ends a wait for what never comes; it measures nothing. */
const waitMsDefault = 100_000

export class Timeline {
  readonly entries: TimelineEntry[] = []
  readonly #startedMs = performance.now()
  readonly #waiters = new Set<Waiter>()

  add(note: TimelineNote): void {
    const atMs = Math.round((performance.now() - this.#startedMs) * 10) / 10
    const entry = { index: this.entries.length, atMs, ...note }
    this.entries.push(entry)
    for (const waiter of this.#waiters) if (waiter.matches(entry)) waiter.found()
  }

  of(requestId: string): TimelineEntry[] {
    return this.entries.filter((entry) => entry.requestId === requestId)
  }

  /** The kinds of one invocation's entries, in order: what most tests compare. */
  kinds(requestId: string): TimelineKind[] {
    return this.of(requestId).map((entry) => entry.kind)
  }

  count(kind: TimelineKind): number {
    return this.entries.filter((entry) => entry.kind === kind).length
  }

  /** The first entry of that kind (and request), now or within `waitMs`; rejects after that. */
  async first(
    kind: TimelineKind,
    requestId?: string,
    waitMs: number = waitMsDefault,
  ): Promise<TimelineEntry> {
    const matches = (entry: TimelineEntry) =>
      entry.kind === kind && (requestId === undefined || entry.requestId === requestId)
    const isThere = this.entries.some(matches) || (await this.#next(matches, waitMs))
    const entry = isThere ? this.entries.find(matches) : undefined
    if (entry !== undefined) return entry
    const entries = this.entries
      .map((one) => `${one.kind} ${one.requestId ?? ''}`.trim())
      .join(', ')
    throw new Error(`no ${kind} ${requestId ?? ''} within ${waitMs} ms; seen: ${entries}`)
  }

  /** Resolves once it is true, asked again after each entry; rejects after `waitMs`. */
  async until(isTrue: () => boolean, waitMs: number = waitMsDefault): Promise<void> {
    const lastMs = performance.now() + waitMs
    while (!isTrue()) {
      const isSeen = await this.#next(() => true, Math.max(0, lastMs - performance.now()))
      if (!isSeen && !isTrue()) throw new Error(`not so within ${waitMs} ms: ${isTrue}`)
    }
  }

  #next(matches: (entry: TimelineEntry) => boolean, waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isFound: boolean) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        resolve(isFound)
      }
      const waiter = { matches, found: () => settle(true) }
      const timer = setTimeout(() => settle(false), waitMs)
      this.#waiters.add(waiter)
    })
  }
}
