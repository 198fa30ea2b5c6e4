/**
 * The state of one session's tail: the last record, and the replies it has reported. Both kinds of
 * tail use it, so "each reply once" and "the record before its reply" are decided in one place.
 * Independent of store and time. Bound by docs/service.md, Reply delivery.
 *
 * When a reply belongs to a request that no record has shown, the record is read and reported
 * first. Otherwise the count of awaited replies would be one short, and the stream would not know
 * the request.
 */
import type { SessionNews, StoredReply, StreamSession } from './session.ts'
import {
  advanceTo,
  deliver,
  hasDelivered,
  missingRanges,
  type SeqRange,
  startWatermark,
  type Watermark,
} from './watermark.ts'

export type PartitionReads = {
  /** Undefined when the record is gone (TTL), which ends the tail. */
  readSession(consistent: boolean): Promise<StreamSession | undefined>
  /** The first complete replies with a seq in the range, strongly consistent, in any order. */
  repliesIn(range: SeqRange): Promise<FoundReplies>
}

/** Some megabytes of one range, so that a client that reads slowly holds few of them in memory. */
export type FoundReplies = {
  readonly replies: readonly StoredReply[]
  /** There may be more. False where nothing was found. */
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

/** News in order; `busy` when the agent or its replies caused it, not the stream's own renewals. */
export type TailStep = {
  readonly news: readonly SessionNews[]
  readonly busy: boolean
  /** More replies can be read at once, when these news have been taken. */
  readonly isCut: boolean
}

export const NOTHING: TailStep = { news: [], busy: false, isCut: false }
export const NO_REPLIES: FoundReplies = { replies: [], isCut: false }

export function startTail(): TailState {
  return { watermark: startWatermark(0), last: undefined }
}

/** Returns what is new. Call it after a round's last read, so that a failed read loses no news. */
export function take(
  state: TailState,
  session: StreamSession,
  { isCut, replies }: FoundReplies,
): TailStep {
  const busy = hasNewRequest(session, state.last)
  const news: SessionNews[] = []
  // A record older than the last one seen (eventual read, late image) is not news.
  if (state.last === undefined || isNewer(session, state.last)) {
    news.push({ kind: 'session', session })
    state.last = session
  }
  for (const reply of replies) {
    if (hasDelivered(state.watermark, reply.seq)) continue
    state.watermark = deliver(state.watermark, reply.seq)
    news.push({ kind: 'reply', seq: reply.seq, sealed: reply.sealed })
  }
  state.watermark = advanceTo(state.watermark, state.last.base)
  return { news, busy: busy || news.some((one) => one.kind === 'reply'), isCut }
}

/**
 * The replies that were not reported yet, wherever a slow request left a gap: a reply of 100 kB that
 * overtook it must not be read again with each poll until the slow one is answered.
 */
export async function readMissing(
  reads: PartitionReads,
  { watermark }: TailState,
): Promise<FoundReplies> {
  const found = await Promise.all(missingRanges(watermark).map((range) => reads.repliesIn(range)))
  const replies = found.flatMap((one) => one.replies)
  return { replies, isCut: found.some(({ isCut }) => isCut) }
}

/** {@link take} for replies whose requests `session` may not show yet. */
export async function takeFound(
  reads: PartitionReads,
  state: TailState,
  session: StreamSession,
  found: FoundReplies,
): Promise<TailStep> {
  const newestSeq = Math.max(session.seq, shownSeq(state))
  if (found.replies.every(({ seq }) => seq <= newestSeq)) return take(state, session, found)
  return take(state, (await reads.readSession(true)) ?? session, found)
}

/** The newest request that a record has shown so far. */
export function shownSeq(state: TailState): number {
  return state.last?.seq ?? 0
}

/** Number of accepted requests whose reply was not seen yet. */
export function waitingFor(state: TailState): number {
  return missing(state, shownSeq(state))
}

/** The number of requests up to `seq` whose reply was not seen yet. */
export function missing({ watermark }: TailState, seq: number): number {
  return Math.max(0, seq - watermark.low - watermark.above.size)
}

/**
 * True at the first sight of a session, or after a new request. A stream renews its session every
 * 30 s and its agent answers a ping every 60 s. If those counted, no minute would ever be quiet,
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
