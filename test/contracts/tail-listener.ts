/**
 * Follows one tail in the background and remembers what it reported, so that a test can look at it.
 */
import type { SessionNews } from '../../core/session/session.ts'
import type { StorePorts } from './store-ports.ts'

/** Ends a wait for what never comes. */
const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 2

export type TailListener = {
  readonly news: readonly SessionNews[]
  /** Seqs of the replies in the order of their delivery. */
  seqs(): readonly number[]
  /** Waits until `seen` holds; throws after some seconds, naming what was reported. */
  until(isDone: () => boolean): Promise<void>
  untilSeq(seq: number): Promise<void>
  /** True once the tail has ended. */
  hasEnded(): boolean
  /** Aborts the tail and waits until it has ended. */
  stop(): Promise<void>
}

export function listenTo(ports: StorePorts, hash: string): TailListener {
  const news: SessionNews[] = []
  const stop = new AbortController()
  let ended = false
  let trouble: unknown
  const running = follow(ports, hash, stop.signal, news)
    .catch((cause: unknown) => {
      trouble = cause
    })
    .finally(() => {
      ended = true
    })
  const seqs = () => news.flatMap((item) => (item.kind === 'reply' ? [item.seq] : []))
  const until = async (isDone: () => boolean) => {
    const lastMs = Date.now() + PATIENCE_MS
    while (!isDone()) {
      if (trouble !== undefined) throw trouble
      if (Date.now() > lastMs) throw new Error(`not seen; ${news.length} news, seqs ${seqs()}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
  return {
    news,
    seqs,
    until,
    untilSeq: (seq) => until(() => seqs().includes(seq)),
    hasEnded: () => ended,
    stop: () => {
      stop.abort()
      return until(() => ended).then(() => running)
    },
  }
}

async function follow(
  ports: StorePorts,
  hash: string,
  signal: AbortSignal,
  into: SessionNews[],
): Promise<void> {
  for await (const item of ports.replies.tail(hash, signal)) into.push(item)
}

/** Sealed bytes of the one reply of `seq`; throws when there is none or more than one. */
export function sealedOf(listener: TailListener, seq: number): Uint8Array {
  const found = listener.news.flatMap((item) =>
    item.kind === 'reply' && item.seq === seq ? [item.sealed] : [],
  )
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} replies of seq ${seq}`)
  return only
}
