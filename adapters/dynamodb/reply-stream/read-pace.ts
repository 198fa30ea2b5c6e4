/**
 * How often a reader asks each shard of the stream. Two named paces, because AWS has limits there
 * that a store on this machine has not. Pure. Figures: ADR 0015.
 */

export type ReadPace = {
  /** For `lateMs` after a request or a reply: the next is likely. */
  readonly fastMs: number
  readonly fastForMs: number
  /** Until `quietAfterMs` after it: longer than any call, so no reply is waited for past it. */
  readonly steadyMs: number
  readonly quietAfterMs: number
  readonly quietMs: number
  /** How many hosts may read one stream at once; undefined: as many as want to. */
  readonly readersMax: number | undefined
}

/**
 * A shard gives five answers a second, to at most two readers: 2.5 a second for each. So 9,000
 * requests an hour and shard while agents work, 3,600 after a quiet minute.
 */
export const AWS_PACE: ReadPace = {
  fastMs: 400,
  fastForMs: 0,
  steadyMs: 400,
  quietAfterMs: 60_000,
  quietMs: 1_000,
  readersMax: 2,
}

/**
 * One reader beside its store: only the laptop's processor limits it. 180,000 an hour at the very most,
 * 72,000 in the minute after a call, 18,000 when quiet, whatever the number of streams.
 */
export const LOCAL_PACE: ReadPace = {
  fastMs: 20,
  fastForMs: 2_000,
  steadyMs: 50,
  quietAfterMs: 60_000,
  quietMs: 200,
  readersMax: undefined,
}

export function readPauseMs(pace: ReadPace, sinceBusyMs: number): number {
  if (sinceBusyMs < pace.fastForMs) return pace.fastMs
  return sinceBusyMs < pace.quietAfterMs ? pace.steadyMs : pace.quietMs
}
