/**
 * Counts refused credentials by source address and minute, so that a flood is a few lines of the log: a line when an
 * address reaches 1, 2, 4, 8 … in a minute, and one for the rest when a later minute begins. Each function instance
 * counts for itself. Lost with an instance: less than half of an address's count in its last minute.
 */

/** Addresses of one minute; further ones share a count, so that no flood of addresses fills the memory. */
export const REFUSAL_ADDRESSES_MAX = 100
export const OTHER_ADDRESSES = 'others'

const MINUTE_MS = 60_000

export type CountedRefusals = {
  readonly address: string
  /** Refusals of this minute so far. */
  readonly count: number
  /** Those of them that no line of the log has counted yet. */
  readonly added: number
}

export type RefusalCounter = {
  /** Counts one refusal; returns the lines to log now. */
  count(address: string, nowMs: number): readonly CountedRefusals[]
  /** The refusals of earlier minutes that no line has counted. */
  rest(nowMs: number): readonly CountedRefusals[]
}

type Counted = { count: number; told: number }

export function refusalCounter(): RefusalCounter {
  let minute = 0
  let counts = new Map<string, Counted>()
  const rest = (nowMs: number): readonly CountedRefusals[] => {
    const now = Math.floor(nowMs / MINUTE_MS)
    if (now === minute) return []
    const before = [...counts]
    minute = now
    counts = new Map()
    return before.flatMap(([address, { count, told }]) =>
      count === told ? [] : [{ address, count, added: count - told }],
    )
  }
  return {
    rest,
    count: (sent, nowMs) => {
      const left = rest(nowMs)
      const hasRoom = counts.has(sent) || counts.size < REFUSAL_ADDRESSES_MAX
      const address = hasRoom ? sent : OTHER_ADDRESSES
      const counted = counts.get(address) ?? { count: 0, told: 0 }
      counts.set(address, counted)
      counted.count += 1
      if (!isPowerOfTwo(counted.count)) return left
      const added = counted.count - counted.told
      counted.told = counted.count
      return [...left, { address, count: counted.count, added }]
    },
  }
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}
