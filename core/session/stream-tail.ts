/**
 * The tail of one session over a feed of changes that one reader hands to all sessions of its host.
 * It reads the partition itself only when it begins, where the feed says so, and as a safety net.
 * Knows neither the stream behind the feed nor the store. Bound by docs/service.md, Reply delivery.
 *
 *   this tail              reader                          store
 *   subscribes ──────────▶ places its iterators ─────────▶ from here on every write comes as a note
 *   look ◀──────────────── "look"                          what was written before is in the partition
 *
 * A reply that comes both ways is reported once: `take` knows it. A look that fails is made again;
 * what the notes said meanwhile is in the partition too, so nothing hangs on them.
 */
import { TROUBLE_MAX_MS } from './poll-pace.ts'
import type { Session, SessionNews, StoredReply } from './session.ts'
import {
  missing,
  NOTHING,
  type PartitionReads,
  shownSeq,
  startTail,
  type TailClock,
  type TailState,
  type TailStep,
  take,
  takeFound,
  waitingFor,
} from './tail-state.ts'

/** What the reader hands to the tail of a session. */
export type FeedNote =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'reply'; readonly reply: StoredReply }
  /** What only the partition can tell: a split reply, a removed record, a gap in what was read. */
  | { readonly kind: 'look' }

export type Feed = {
  /** What has come since the last call, oldest first. */
  take(): readonly FeedNote[]
  /** Ends after `ms`, when `signal` aborts, or at once when a note is there. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** False while the stream is not read, for whatever reason: then the partition must be. */
  keepsUp(): boolean
  /** There was a request or a reply: more may follow soon. */
  busy(): void
}

/** The first look waits so long for the reader to be in place; a later "look" repeats it. */
export const FIRST_LOOK_MS = 1_000
/** While the reader does not keep up, the partition is looked at this often. */
export const BEHIND_LOOK_MS = 1_000
/**
 * The safety net, so long after the last look or news: five looks in the 16 s after which a stream
 * answers a request itself. It needs to find nothing, unless the reader missed a shard.
 */
export const PENDING_LOOK_MS = 3_000
/** With nothing pending: finds a session that expired, and a request that the reader missed. */
export const IDLE_LOOK_MS = 10_000
const TROUBLE_FIRST_MS = 250

type StreamState = TailState & {
  /** The last look, or the first request since: the safety net waits from here. */
  sinceMs: number
  /** A look that must come by then, whatever notes come: the first, and one that failed. */
  owedAtMs: number | undefined
  troubleMs: number
}

export type StreamTailNeeds = {
  readonly reads: PartitionReads
  readonly feed: Feed
  readonly clock: TailClock
  onTrouble(cause: unknown): void
}

export async function* tailStream(
  needs: StreamTailNeeds,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  const { clock, feed, reads } = needs
  const state: StreamState = {
    ...startTail(),
    sinceMs: clock.nowMs(),
    owedAtMs: clock.nowMs() + FIRST_LOOK_MS,
    troubleMs: TROUBLE_FIRST_MS,
  }
  while (!signal.aborted) {
    const heard = hear(state, feed, clock)
    yield* heard.news
    if (heard.mustLook || clock.nowMs() >= dueAtMs(state, feed)) {
      const looked = await tryLook(reads, state, clock, needs.onTrouble)
      if (looked === 'gone') return
      if (looked.busy) feed.busy()
      yield* looked.news
    }
    // Turns at least this often, as nobody wakes it when the reader falls behind.
    const untilDueMs = dueAtMs(state, feed) - clock.nowMs()
    await feed.wait(Math.max(0, Math.min(untilDueMs, BEHIND_LOOK_MS)), signal)
  }
}

type Heard = { readonly news: readonly SessionNews[]; readonly mustLook: boolean }

function hear(state: StreamState, feed: Feed, clock: TailClock): Heard {
  const waited = waitingFor(state) > 0
  const taken = feed.take().map((note) => takeNote(state, note))
  const heard = taken.filter((one) => one !== 'look')
  if (heard.some(({ busy }) => busy)) {
    feed.busy()
    // From the first that waits: others that are answered meanwhile do not put its look off.
    if (!waited) state.sinceMs = clock.nowMs()
  }
  return { news: heard.flatMap(({ news }) => news), mustLook: taken.includes('look') }
}

/** A reply whose request no record has shown yet is left to the look: the record must come first. */
function takeNote(state: StreamState, note: FeedNote): TailStep | 'look' {
  switch (note.kind) {
    case 'look':
      return 'look'
    case 'session':
      return take(state, note.session, [])
    case 'reply':
      if (state.last === undefined || note.reply.seq > shownSeq(state)) return 'look'
      return take(state, state.last, [note.reply])
    default:
      return note satisfies never
  }
}

async function tryLook(
  reads: PartitionReads,
  state: StreamState,
  clock: TailClock,
  onTrouble: (cause: unknown) => void,
): Promise<TailStep | 'gone'> {
  try {
    const looked = await look(reads, state)
    state.owedAtMs = undefined
    state.troubleMs = TROUBLE_FIRST_MS
    return looked
  } catch (cause) {
    onTrouble(cause)
    state.owedAtMs = clock.nowMs() + state.troubleMs
    state.troubleMs = Math.min(state.troubleMs * 2, TROUBLE_MAX_MS)
    return NOTHING
  } finally {
    state.sinceMs = clock.nowMs()
  }
}

/** The record first: a reply of any request that it shows is found after it, or comes as a note. */
async function look(reads: PartitionReads, state: StreamState): Promise<TailStep | 'gone'> {
  const session = await reads.readSession(true)
  if (session === undefined) return state.last === undefined ? NOTHING : 'gone'
  const awaited = missing(state, Math.max(session.seq, shownSeq(state)))
  const replies = awaited > 0 ? await reads.repliesBeyond(state.watermark.low) : []
  return takeFound(reads, state, session, replies)
}

function dueAtMs(state: StreamState, feed: Feed): number {
  if (state.owedAtMs !== undefined) return state.owedAtMs
  if (!feed.keepsUp()) return state.sinceMs + BEHIND_LOOK_MS
  return state.sinceMs + (waitingFor(state) > 0 ? PENDING_LOOK_MS : IDLE_LOOK_MS)
}
