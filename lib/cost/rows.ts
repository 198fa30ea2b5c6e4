/**
 * Which share of paid calls writes no release: the user's next hold takes out what they left behind (ADR 0074). Users
 * call at random, each independently of the time of the last call, which is the mix's rate on average. At an even beat of
 * once a minute every call would be followed in time.
 */

/** What a release costs beside the calls whose holds stay: units and a round trip. */
export const RELEASE = { writeUnits: 1, storeRounds: 1 } as const
/** What the sweep asks to take a leftover out: its outcome, and the release after all. */
export const SWEPT_LEFTOVER = { readUnits: 1, writeUnits: 1, rounds: 2 } as const

/** core/ledger/leftovers.ts, in minutes; a test compares the two. */
export const ROW_MINUTES = 1.5
/** A run visits most users within so long. */
const SWEEP_DELAY_MINUTES = 5 / 60

export type RowShares = {
  /** Of all paid calls: those whose hold stays behind. */
  readonly left: number
  /** Those whose hold the sweep takes out, since the next call comes later. */
  readonly swept: number
}

/** The sweep visits the users of a minute once the next one is over: 60 to 120 s after a hold. */
export function rowShares(callsPerMinute: number): RowShares {
  const left = 1 - Math.exp(-ROW_MINUTES * callsPerMinute)
  const atFirst = Math.exp(-(1 + SWEEP_DELAY_MINUTES) * callsPerMinute)
  const overTheMinute = (1 - Math.exp(-callsPerMinute)) / callsPerMinute
  return { left, swept: left * atFirst * overTheMinute }
}
