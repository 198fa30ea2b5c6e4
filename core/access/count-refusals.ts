/**
 * Counts refused credentials by source address and minute, so that a flood becomes a few lines of
 * the log. There is a line when an address reaches 1, 2, 4, 8 … refusals in a minute, and a line
 * for the rest when a later minute begins. Each instance of the function counts on its own. If an
 * instance ends, less than half of an address's count of its last minute is lost.
 */

/**
 * Most addresses that are counted in one minute. Further addresses share one count, so that a flood
 * of addresses does not fill the memory.
 */
export const REFUSAL_ADDRESSES_MAX = 100
export const OTHER_ADDRESSES = 'others'

const MINUTE_MS = 60_000

export type CountedRefusals = {
  readonly address: string
  /** Refusals in this minute so far. */
  readonly count: number
  /** Refusals among `count` that no line of the log has reported yet. */
  readonly added: number
}

export type RefusalCounter = {
  /** Counts one refusal and returns the lines to log now. */
  count(address: string, nowMs: number): readonly CountedRefusals[]
  /** Returns the refusals of earlier minutes that no line has reported. */
  rest(nowMs: number): readonly CountedRefusals[]
}

type AddressCount = { count: number; reported: number }

export function createRefusalCounter(): RefusalCounter {
  let minute = 0
  let counts = new Map<string, AddressCount>()
  const rest = (nowMs: number): readonly CountedRefusals[] => {
    const now = Math.floor(nowMs / MINUTE_MS)
    if (now === minute) return []
    const before = [...counts]
    minute = now
    counts = new Map()
    return before.flatMap(([address, { count, reported }]) =>
      count === reported ? [] : [{ address, count, added: count - reported }],
    )
  }
  return {
    rest,
    count: (sent, nowMs) => {
      const earlier = rest(nowMs)
      const hasRoom = counts.has(sent) || counts.size < REFUSAL_ADDRESSES_MAX
      const address = hasRoom ? sent : OTHER_ADDRESSES
      const counted = counts.get(address) ?? { count: 0, reported: 0 }
      counts.set(address, counted)
      counted.count += 1
      if (!isPowerOfTwo(counted.count)) return earlier
      const added = counted.count - counted.reported
      counted.reported = counted.count
      return [...earlier, { address, count: counted.count, added }]
    },
  }
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}
