/**
 * One stretch of reading a stream, from the first listener to the last: round after round at the pace
 * that is set. It begins at the ends of the shards and forgets its places when it stops.
 */
import { type ReadPace, readPauseMs } from './read-pace.ts'
import { oldestReadMs } from './shards.ts'
import { startWalk, type Walk, type WalkNeeds, walkRound } from './walk-shards.ts'

/** A reader that has not got round to every shard for so long does not keep up. */
export const BEHIND_AFTER_MS = 3_000

export type ReadLoopNeeds = WalkNeeds & {
  readonly pace: ReadPace
  /** Records may have been passed over: every listener must look for itself. */
  onGap(): void
}

export type ReadLoop = {
  /** Every shard has had its iterator: nothing that is written from now on is missed. */
  isPlaced(): boolean
  keepsUp(): boolean
  /** There was a request or a reply: reads faster for a while, from now on. */
  busy(): void
  stop(): void
}

export function startReadLoop(needs: ReadLoopNeeds): ReadLoop {
  const { clock, pace } = needs
  const walk = startWalk(clock.nowMs())
  const stopped = new AbortController()
  let nap = new AbortController()
  let busyAtMs = clock.nowMs()
  let placed = false
  const pauseMs = () => readPauseMs(pace, clock.nowMs() - busyAtMs)
  const loop = async () => {
    while (!stopped.signal.aborted) {
      const { gap, moved } = await walkRound(needs, walk, stopped.signal)
      if (stopped.signal.aborted) return
      if (gap) needs.onGap()
      placed ||= allPlaced(walk)
      nap = new AbortController()
      if (!moved) await clock.sleep(pauseMs(), nap.signal)
    }
  }
  // A round never rejects; if it does, that is a bug, and tails go on by their safety net.
  void loop().catch(needs.onTrouble)
  return {
    isPlaced: () => placed,
    keepsUp: () => placed && isRecent(walk, clock.nowMs()),
    busy: () => {
      const planned = pauseMs()
      busyAtMs = clock.nowMs()
      if (pauseMs() < planned) nap.abort()
    },
    stop: () => {
      stopped.abort()
      nap.abort()
    },
  }
}

function allPlaced({ shards }: Walk): boolean {
  const open = [...shards.values()].filter(({ drained }) => !drained)
  return open.length > 0 && open.every(({ gap }) => !gap)
}

function isRecent({ shards }: Walk, nowMs: number): boolean {
  const oldestMs = oldestReadMs(shards)
  return oldestMs !== undefined && nowMs - oldestMs < BEHIND_AFTER_MS
}
