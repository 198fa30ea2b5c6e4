/**
 * The `partition` tail of a reply stream: polls one session's partition, as fast as pending
 * requests ask for and no faster. Knows no store; both store adapters feed it.
 * Bound by design section 4 (Reply stream). Timeline of one request:
 *
 *   front door            messages door          this tail
 *   accept (seq 7) ─────▶ work                   idle poll: reads the record only, sees seq 7
 *                         append reply#7 ──────▶ pending poll: strongly consistent, finds it once
 *
 * A reply to a request that no record read so far has shown: the record is read again and reported
 * first. Else the count of those waited for were one short, and the stream would not know the request.
 * Two appends of one seq: the store lets the first stand, so this never sees a second.
 * Replies out of order: those above the watermark are remembered in a set until the gap closes.
 */
import { nextPause, type PollPace, startPace } from './poll-pace.ts'
import type { Session, SessionNews, StoredReply } from './session.ts'
import { advanceTo, deliver, hasDelivered, startWatermark, type Watermark } from './watermark.ts'

export type PartitionReads = {
  /** Undefined: the record is gone (TTL), which ends the tail. */
  readSession(consistent: boolean): Promise<Session | undefined>
  /** Complete replies with seq greater than `seq`, strongly consistent, in any order. */
  repliesBeyond(seq: number): Promise<readonly StoredReply[]>
}

export type TailClock = {
  nowMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** While requests are pending the record is read this often: what it says can wait, replies cannot. */
export const RECORD_EVERY_MS = 200

type TailState = {
  watermark: Watermark
  pace: PollPace
  last: Session | undefined
  recordReadAtMs: number
}

export async function* tailPartition(
  reads: PartitionReads,
  clock: TailClock,
  signal: AbortSignal,
  onTrouble: (cause: unknown) => void,
): AsyncGenerator<SessionNews> {
  const state: TailState = {
    watermark: startWatermark(0),
    pace: startPace(clock.nowMs()),
    last: undefined,
    recordReadAtMs: 0,
  }
  while (!signal.aborted) {
    const polled = await poll(reads, state, clock.nowMs()).catch((cause: unknown) => {
      onTrouble(cause)
      return 'trouble' as const
    })
    if (polled === 'gone') return
    if (polled !== 'trouble') yield* polled.news
    const pause = nextPause(state.pace, {
      nowMs: clock.nowMs(),
      waiting: waitingFor(state),
      changed: polled !== 'trouble' && polled.busy,
      trouble: polled === 'trouble',
    })
    state.pace = pause.pace
    await clock.sleep(pause.ms, signal)
  }
}

/** What one poll brought; `busy` when the agent or its answers are behind it, not the stream's own care. */
type Polled = { readonly news: readonly SessionNews[]; readonly busy: boolean }

/** One poll: the record, and the replies where any is awaited. */
async function poll(
  reads: PartitionReads,
  state: TailState,
  nowMs: number,
): Promise<Polled | 'gone'> {
  const waited = waitingFor(state) > 0
  const recordDue = !waited || nowMs - state.recordReadAtMs >= RECORD_EVERY_MS
  const [session, early] = await Promise.all([
    recordDue ? reads.readSession(false) : state.last,
    waited ? reads.repliesBeyond(state.watermark.low) : [],
  ])
  if (recordDue) state.recordReadAtMs = nowMs
  if (session === undefined) return state.last === undefined ? NOTHING : 'gone'
  // A request seen just now may be answered already: look at once instead of a pause later.
  const seenNow = !waited && session.seq > shownSeq(state)
  const replies = seenNow ? await reads.repliesBeyond(state.watermark.low) : early
  const newestSeq = Math.max(session.seq, shownSeq(state))
  if (replies.every(({ seq }) => seq <= newestSeq)) return take(state, session, replies)
  return take(state, (await reads.readSession(true)) ?? session, replies)
}

/** Answers what is new, in order. After the last read: a poll that fails must not swallow news. */
function take(state: TailState, session: Session, replies: readonly StoredReply[]): Polled {
  const busy = isAsked(session, state.last)
  const news: SessionNews[] = []
  // A record that lags behind what was seen before (eventual read) is no news.
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
  return { news, busy: busy || news.some((one) => one.kind === 'reply') }
}

const NOTHING: Polled = { news: [], busy: false }

/**
 * The first sight of a session, or a request since the last. A stream renews its own session every
 * 30 s and its agent answers a ping every 60 s: if those counted, no minute would ever be quiet and
 * every idle stream would cost double.
 */
function isAsked(session: Session, last: Session | undefined): boolean {
  return last === undefined || session.seq > last.seq
}

/** The newest request that a record has shown so far. */
function shownSeq(state: TailState): number {
  return state.last?.seq ?? 0
}

/** Accepted requests whose reply was not seen yet. */
function waitingFor(state: TailState): number {
  return state.last === undefined
    ? 0
    : Math.max(0, state.last.seq - state.watermark.low - state.watermark.above.size)
}

function isNewer(session: Session, last: Session): boolean {
  return (
    session.seq > last.seq ||
    session.base > last.base ||
    session.lastPostAtMs > last.lastPostAtMs ||
    (session.endedAtMs !== undefined && last.endedAtMs === undefined) ||
    session.aliveUntilMs > last.aliveUntilMs
  )
}
