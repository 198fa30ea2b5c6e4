/**
 * One run of reading a stream, from the first listener to the last, round after round at a given
 * pace. A run begins at the ends of the shards and forgets its positions when it stops.
 */
import { chooseReadPauseMs, type ReadPace } from './read-pace.ts'
import { findOldestReadMs } from './shards.ts'
import { runWalkRound, startWalk, type Walk, type WalkNeeds } from './walk-shards.ts'

/** A reader that has not read every shard within this time is behind. */
export const BEHIND_AFTER_MS = 3_000

export type ReadLoopNeeds = WalkNeeds & {
  readonly pace: ReadPace
  /** Records may have been skipped: every listener must read its partition. */
  onGap(): void
}

export type ReadLoop = {
  /** True if every shard has its iterator, so no later record is missed. */
  isPlaced(): boolean
  keepsUp(): boolean
  /** Notes a request or a reply, so the loop reads faster for some time. */
  busy(): void
  stop(): void
}

/** Starts to read at once; the caller stops the loop. */
export function startReadLoop(needs: ReadLoopNeeds): ReadLoop {
  const { clock, pace } = needs
  const walk = startWalk(clock.nowMs())
  const stopped = new AbortController()
  let sleeping = new AbortController()
  let busyAtMs = clock.nowMs()
  let placed = false
  const pauseMs = () => chooseReadPauseMs(pace, clock.nowMs() - busyAtMs)
  const loop = async () => {
    while (!stopped.signal.aborted) {
      const { gap, moved } = await runWalkRound(needs, walk, stopped.signal)
      if (stopped.signal.aborted) return
      if (gap) needs.onGap()
      placed ||= isEveryShardPlaced(walk)
      sleeping = new AbortController()
      if (!moved) await clock.sleep(pauseMs(), sleeping.signal)
    }
  }
  // A round never rejects. If a bug makes it reject, tails continue with their own periodic read.
  void loop().catch(needs.onTrouble)
  return {
    isPlaced: () => placed,
    keepsUp: () => placed && isRecent(walk, clock.nowMs()),
    busy: () => {
      const planned = pauseMs()
      busyAtMs = clock.nowMs()
      if (pauseMs() < planned) sleeping.abort()
    },
    stop: () => {
      stopped.abort()
      sleeping.abort()
    },
  }
}

function isEveryShardPlaced({ shards }: Walk): boolean {
  const open = [...shards.values()].filter(({ drained }) => !drained)
  return open.length > 0 && open.every(({ gap }) => !gap)
}

function isRecent({ shards }: Walk, nowMs: number): boolean {
  const oldestMs = findOldestReadMs(shards)
  return oldestMs !== undefined && nowMs - oldestMs < BEHIND_AFTER_MS
}
