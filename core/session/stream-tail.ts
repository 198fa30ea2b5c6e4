/**
 * The tail of one session that gets its changes from a reader which all sessions of the host share.
 * The tail reads the partition itself only at its start, when the feed says so, and as a safety
 * net. It depends neither on the stream behind the feed nor on the store. Bound by docs/service.md,
 * Reply delivery.
 *
 *   this tail              reader                          store
 *   subscribes ──────────▶ places its iterators ─────────▶ every later write comes as a note
 *   reads ◀─────────────── note "look"                     earlier writes are in the partition
 *
 * A reply that arrives both ways is reported once, because `applyReading` keeps track. A failed
 * read is repeated. The partition also has what notes reported in between, so nothing is lost.
 */
import { TROUBLE_PAUSE_MAX_MS } from './poll-pace.ts'
import type { SessionNews, StoredReply, StreamSession } from './session.ts'
import {
  applyFoundReplies,
  applyReading,
  countMissing,
  countWaitingReplies,
  NO_NEWS,
  NO_REPLIES,
  newestShownSeq,
  type PartitionReads,
  readMissing,
  startTail,
  type TailClock,
  type TailState,
  type TailStep,
} from './tail-state.ts'

/** A note from the reader to a session's tail. */
export type FeedNote =
  | { readonly kind: 'session'; readonly session: StreamSession }
  | { readonly kind: 'reply'; readonly reply: StoredReply }
  /** Read the partition: a reply in parts, a removed record, or a gap in the stream. */
  | { readonly kind: 'look' }

export type Feed = {
  /** The notes since the last call, oldest first. */
  take(): readonly FeedNote[]
  /** Ends after `ms`, when `signal` aborts, or at once if a note is waiting. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /**
   * False while the reader does not read the stream, for any reason; the partition must be read
   * instead.
   */
  keepsUp(): boolean
  /** Reports a request or a reply; more may follow soon. */
  busy(): void
}

/**
 * How long the first read waits for the reader to be ready; a later "look" note repeats the read.
 */
export const FIRST_READ_MS = 1_000
/** How often the partition is read while the reader does not keep up. */
export const BEHIND_READ_MS = 1_000
/**
 * Delay of the safety net after the last read or news while requests are pending: five reads in the
 * 16 s after which a stream answers a request itself. It finds something only if the reader missed
 * a shard.
 */
export const PENDING_READ_MS = 3_000
/**
 * The same delay with nothing pending: finds an expired session, and a request that the reader
 * missed.
 */
export const IDLE_READ_MS = 10_000
const TROUBLE_FIRST_MS = 250

type FeedTailState = TailState & {
  /** Time of the last read, or of the first request since. The safety net starts here. */
  sinceMs: number
  /**
   * A read that must happen by then, whatever notes arrive: the first, one after a failure, or the
   * rest of a cut one.
   */
  owedAtMs: number | undefined
  troubleMs: number
}

export type StreamTailNeeds = {
  readonly reads: PartitionReads
  readonly feed: Feed
  readonly clock: TailClock
  onTrouble(cause: unknown): void
}

/** Yields news of one session until `signal` aborts or the record is removed. */
export async function* tailStream(
  needs: StreamTailNeeds,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  const { clock, feed, reads } = needs
  const state: FeedTailState = {
    ...startTail(),
    sinceMs: clock.nowMs(),
    owedAtMs: clock.nowMs() + FIRST_READ_MS,
    troubleMs: TROUBLE_FIRST_MS,
  }
  while (!signal.aborted) {
    const fresh = readFeed(state, feed, clock)
    yield* fresh.news
    if (fresh.mustLook || clock.nowMs() >= dueAtMs(state, feed)) {
      const found = await tryRead(reads, state, clock, needs.onTrouble)
      if (found === 'gone') return
      if (found.busy) feed.busy()
      yield* found.news
    }
    // The wait is bounded, because nothing wakes this loop when the reader falls behind.
    const untilDueMs = dueAtMs(state, feed) - clock.nowMs()
    await feed.wait(Math.max(0, Math.min(untilDueMs, BEHIND_READ_MS)), signal)
  }
}

type FeedNews = { readonly news: readonly SessionNews[]; readonly mustLook: boolean }

function readFeed(state: FeedTailState, feed: Feed, clock: TailClock): FeedNews {
  const wasWaiting = countWaitingReplies(state) > 0
  const steps = feed.take().map((note) => takeNote(state, note))
  const fresh = steps.filter((one) => one !== 'look')
  if (fresh.some(({ busy }) => busy)) {
    feed.busy()
    // Starts at the first waiting request: later ones that are answered must not postpone its read.
    if (!wasWaiting) state.sinceMs = clock.nowMs()
  }
  return { news: fresh.flatMap(({ news }) => news), mustLook: steps.includes('look') }
}

/**
 * A reply whose request no record has shown yet needs a read, because the record must be reported
 * first.
 */
function takeNote(state: FeedTailState, note: FeedNote): TailStep | 'look' {
  switch (note.kind) {
    case 'look':
      return 'look'
    case 'session':
      return applyReading(state, note.session, NO_REPLIES)
    case 'reply':
      if (state.last === undefined || note.reply.seq > newestShownSeq(state)) return 'look'
      return applyReading(state, state.last, { replies: [note.reply], isCut: false })
    default:
      return note satisfies never
  }
}

async function tryRead(
  reads: PartitionReads,
  state: FeedTailState,
  clock: TailClock,
  onTrouble: (cause: unknown) => void,
): Promise<TailStep | 'gone'> {
  try {
    const found = await readPartition(reads, state)
    state.owedAtMs = found !== 'gone' && found.isCut ? clock.nowMs() : undefined
    state.troubleMs = TROUBLE_FIRST_MS
    return found
  } catch (cause) {
    onTrouble(cause)
    state.owedAtMs = clock.nowMs() + state.troubleMs
    state.troubleMs = Math.min(state.troubleMs * 2, TROUBLE_PAUSE_MAX_MS)
    return NO_NEWS
  } finally {
    state.sinceMs = clock.nowMs()
  }
}

/** Reads the record first. Replies to all its requests are then found, or come as notes. */
async function readPartition(
  reads: PartitionReads,
  state: FeedTailState,
): Promise<TailStep | 'gone'> {
  const session = await reads.readSession(true)
  if (session === undefined) return state.last === undefined ? NO_NEWS : 'gone'
  const awaited = countMissing(state, Math.max(session.seq, newestShownSeq(state)))
  const found = awaited > 0 ? await readMissing(reads, state) : NO_REPLIES
  return applyFoundReplies(reads, state, session, found)
}

function dueAtMs(state: FeedTailState, feed: Feed): number {
  if (state.owedAtMs !== undefined) return state.owedAtMs
  if (!feed.keepsUp()) return state.sinceMs + BEHIND_READ_MS
  return state.sinceMs + (countWaitingReplies(state) > 0 ? PENDING_READ_MS : IDLE_READ_MS)
}
