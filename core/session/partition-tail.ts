/**
 * The `partition` tail of a reply stream: polls the store partition of one session as fast as its
 * pending requests need. The store adapter supplies the reads. Bound by docs/service.md, Reply
 * delivery. Timeline of one request:
 *
 *   sse function          messages function      this tail
 *   accept (seq 7) ─────▶ work                   idle poll: reads the record only, sees seq 7
 *                         append reply#7 ──────▶ pending poll: strongly consistent, finds it once
 *
 * Two appends of one seq: the store keeps the first, so this tail never sees a second. Replies out
 * of order: those above the watermark are kept in a set until the gap closes.
 */
import { computePause, type PollPace, startPace } from './poll-pace.ts'
import type { SessionNews } from './session.ts'
import {
  applyFoundReplies,
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

/**
 * How often the record is read while requests are pending: its changes can wait, replies cannot.
 */
export const RECORD_EVERY_MS = 200

export type TailHooks = {
  /** Called for a poll that failed; the tail polls again. */
  onTrouble(cause: unknown): void
  /** Present if the store can report a change: the bell then ends a pause early. */
  openBell?(): TailBell
}

export type TailBell = {
  /** Replaces the clock's sleep. `trouble`: the last poll failed. */
  pause(ms: number, signal: AbortSignal, trouble: boolean): Promise<void>
  stop(): void
}

type PollState = TailState & { pace: PollPace; recordReadAtMs: number }

/** Yields news of one session until `signal` aborts or the record is removed. */
export async function* tailPartition(
  reads: PartitionReads,
  clock: TailClock,
  signal: AbortSignal,
  { onTrouble, openBell }: TailHooks,
): AsyncGenerator<SessionNews> {
  const state: PollState = { ...startTail(), pace: startPace(clock.nowMs()), recordReadAtMs: 0 }
  let changed = false
  const bell = openBell?.()
  try {
    while (!signal.aborted) {
      const polled = await poll(reads, state, clock.nowMs()).catch((cause: unknown) => {
        onTrouble(cause)
        return 'trouble' as const
      })
      if (polled === 'gone') return
      if (polled !== 'trouble') {
        yield* polled.news
        changed ||= polled.busy
        if (polled.isCut) continue
      }
      const trouble = polled === 'trouble'
      const waiting = countWaitingReplies(state)
      const pause = computePause(state.pace, { nowMs: clock.nowMs(), waiting, changed, trouble })
      changed = false
      state.pace = pause.pace
      await (bell === undefined
        ? clock.sleep(pause.ms, signal)
        : bell.pause(pause.ms, signal, trouble))
    }
  } finally {
    bell?.stop()
  }
}

/** One poll: reads the record, and the replies if a request waits for one. */
async function poll(
  reads: PartitionReads,
  state: PollState,
  nowMs: number,
): Promise<TailStep | 'gone'> {
  const wasWaiting = countWaitingReplies(state) > 0
  const isRecordDue = !wasWaiting || nowMs - state.recordReadAtMs >= RECORD_EVERY_MS
  const [session, early] = await Promise.all([
    isRecordDue ? reads.readSession(false) : state.last,
    wasWaiting ? readMissing(reads, state) : NO_REPLIES,
  ])
  if (isRecordDue) state.recordReadAtMs = nowMs
  if (session === undefined) return state.last === undefined ? NO_NEWS : 'gone'
  // A request that this poll is the first to see may be answered already, so it reads the replies
  // now.
  const isNewRequest = !wasWaiting && session.seq > newestShownSeq(state)
  const found = isNewRequest ? await readMissing(reads, state) : early
  return applyFoundReplies(reads, state, session, found)
}
