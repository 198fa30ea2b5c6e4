/**
 * The state of one session's tail: the last record, and the replies it has reported. Both kinds of
 * tail use it, so one place decides "each reply once" and "the record before its reply". The state
 * depends on neither store nor time. Bound by docs/service.md, Reply delivery.
 *
 * If a reply belongs to a request that no record has shown, the record is read and reported first.
 * Otherwise the number of awaited replies would be one too low, and the stream would have no entry
 * for the request.
 */
import type { SessionNews, StoredReply, StreamSession } from './session.ts'
import {
  advanceWatermark,
  hasDelivered,
  listMissingRanges,
  markDelivered,
  type SeqRange,
  startWatermark,
  type Watermark,
} from './watermark.ts'

export type PartitionReads = {
  /** Undefined if the record was removed (TTL), which ends the tail. */
  readSession(consistent: boolean): Promise<StreamSession | undefined>
  /** The first complete replies with a seq in the range, strongly consistent, in any order. */
  repliesIn(range: SeqRange): Promise<FoundReplies>
}

/** At most some megabytes of one range, so that a slow client holds few replies in memory. */
export type FoundReplies = {
  readonly replies: readonly StoredReply[]
  /** True if there may be more replies; false if none was found. */
  readonly isCut: boolean
}

export type TailClock = {
  nowMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type TailState = {
  watermark: Watermark
  last: StreamSession | undefined
}

/** News in order. `busy` if the agent or a reply caused them, not the stream's own renewals. */
export type TailStep = {
  readonly news: readonly SessionNews[]
  readonly busy: boolean
  /** More replies can be read at once, after these news. */
  readonly isCut: boolean
}

export const NO_NEWS: TailStep = { news: [], busy: false, isCut: false }
export const NO_REPLIES: FoundReplies = { replies: [], isCut: false }

/** The state of a tail that has read nothing. */
export function startTail(): TailState {
  return { watermark: startWatermark(0), last: undefined }
}

/**
 * Updates the state and returns what is new. Call it after the last read of a round, so that a
 * failed read loses no news.
 */
export function applyReading(
  state: TailState,
  session: StreamSession,
  { isCut, replies }: FoundReplies,
): TailStep {
  const busy = hasNewRequest(session, state.last)
  const news: SessionNews[] = []
  // A record older than the last one (eventual read, late image) is not news.
  if (state.last === undefined || isNewer(session, state.last)) {
    news.push({ kind: 'session', session })
    state.last = session
  }
  for (const reply of replies) {
    if (hasDelivered(state.watermark, reply.seq)) continue
    state.watermark = markDelivered(state.watermark, reply.seq)
    news.push({ kind: 'reply', seq: reply.seq, sealed: reply.sealed })
  }
  state.watermark = advanceWatermark(state.watermark, state.last.base)
  return { news, busy: busy || news.some((one) => one.kind === 'reply'), isCut }
}

/**
 * Reads the replies that are not reported yet, in all gaps that slow requests left. A reply of 100
 * kB that overtook a slow one must not be read again at each poll.
 */
export async function readMissing(
  reads: PartitionReads,
  { watermark }: TailState,
): Promise<FoundReplies> {
  const found = await Promise.all(
    listMissingRanges(watermark).map((range) => reads.repliesIn(range)),
  )
  const replies = found.flatMap((one) => one.replies)
  return { replies, isCut: found.some(({ isCut }) => isCut) }
}

/** Like {@link applyReading}, for replies whose requests `session` may not show yet. */
export async function applyFoundReplies(
  reads: PartitionReads,
  state: TailState,
  session: StreamSession,
  found: FoundReplies,
): Promise<TailStep> {
  const newestSeq = Math.max(session.seq, newestShownSeq(state))
  if (found.replies.every(({ seq }) => seq <= newestSeq)) return applyReading(state, session, found)
  return applyReading(state, (await reads.readSession(true)) ?? session, found)
}

/** The newest request that a record has shown so far. */
export function newestShownSeq(state: TailState): number {
  return state.last?.seq ?? 0
}

/** Number of accepted requests whose reply was not reported yet. */
export function countWaitingReplies(state: TailState): number {
  return countMissing(state, newestShownSeq(state))
}

/** Number of requests up to `seq` whose reply was not reported yet. */
export function countMissing({ watermark }: TailState, seq: number): number {
  return Math.max(0, seq - watermark.low - watermark.above.size)
}

/**
 * True for the first record of a session and after a new request. A stream renews its session every
 * 30 s, and its agent answers a ping every 60 s. If those were changes, no minute would be quiet,
 * and every idle stream would cost double.
 */
function hasNewRequest(session: StreamSession, last: StreamSession | undefined): boolean {
  return last === undefined || session.seq > last.seq
}

function isNewer(session: StreamSession, last: StreamSession): boolean {
  return (
    session.seq > last.seq ||
    session.base > last.base ||
    session.lastPostAtMs > last.lastPostAtMs ||
    (session.endedAtMs !== undefined && last.endedAtMs === undefined) ||
    session.aliveUntilMs > last.aliveUntilMs
  )
}
