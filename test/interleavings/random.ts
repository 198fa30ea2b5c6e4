/** Randomness that a seed repeats exactly: sfc32, mixed from one 32-bit seed. */

export type Random = {
  /** 0 ≤ n < below. */
  below(below: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** One of them; they must not be empty. */
  pick<T>(from: readonly T[]): T
}

export function seededRandom(seed: number): Random {
  const next = sfc32(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const index = below(from.length)
      for (const item of from.slice(index, index + 1)) return item
      throw new Error('nothing to pick from')
    },
  }
}

function sfc32(seed: number): () => number {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, seed | 0, 1]
  const next = () => {
    const sum = (((a + b) | 0) + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 0x1_0000_0000
  }
  for (let round = 0; round < 12; round += 1) next()
  return next
}
