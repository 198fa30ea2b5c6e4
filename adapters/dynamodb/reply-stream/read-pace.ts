/**
 * How often a reader reads each shard of the stream. There are two paces, because AWS has limits
 * that a store on this machine does not have. Figures: docs/design/streams.md#tails.
 */
export type ReadPace = {
  /** Pause during `fastForMs` after a request or a reply, when another is likely. */
  readonly fastMs: number
  readonly fastForMs: number
  /** Pause from then until `quietAfterMs`, which is longer than any call takes. */
  readonly steadyMs: number
  readonly quietAfterMs: number
  readonly quietMs: number
  /** How many processes may read one stream at once; undefined: no limit. */
  readonly readersMax: number | undefined
}

/**
 * A shard serves five reads a second to at most two readers, so 2.5 to each. A reader sends 9,000
 * requests an hour to a shard while agents work, and 3,600 after a minute without calls.
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
 * A reader on the machine of its store is limited only by the processor. It sends 180,000 requests
 * an hour at most, 72,000 in the minute after a call and 18,000 after that, for any number of
 * streams.
 */
export const LOCAL_PACE: ReadPace = {
  fastMs: 20,
  fastForMs: 2_000,
  steadyMs: 50,
  quietAfterMs: 60_000,
  quietMs: 200,
  readersMax: undefined,
}

/** `sinceBusyMs`: time since the last request or reply. */
export function chooseReadPauseMs(pace: ReadPace, sinceBusyMs: number): number {
  if (sinceBusyMs < pace.fastForMs) return pace.fastMs
  return sinceBusyMs < pace.quietAfterMs ? pace.steadyMs : pace.quietMs
}
