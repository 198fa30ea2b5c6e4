/**
 * How often a reader asks each shard of the stream. Two named paces, because AWS has limits that a
 * store on this machine does not have. Pure. Figures: ADR 0015.
 */

export type ReadPace = {
  /** For `lateMs` after a request or a reply: another is likely. */
  readonly fastMs: number
  readonly fastForMs: number
  /**
   * From then until `quietAfterMs` after it: longer than any call, so no expected reply comes
   * later.
   */
  readonly steadyMs: number
  readonly quietAfterMs: number
  readonly quietMs: number
  /** How many hosts may read one stream at once; undefined: no limit. */
  readonly readersMax: number | undefined
}

/**
 * A shard serves five reads a second, shared by at most two readers: 2.5 a second for each. That
 * makes 9,000 requests an hour and shard while agents work, 3,600 after a quiet minute.
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
 * One reader beside its store: only the laptop's processor limits it. At most 180,000 requests an
 * hour, 72,000 in the minute after a call, 18,000 when quiet, whatever the number of streams.
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
