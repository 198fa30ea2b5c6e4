/**
 * How long calls took, counted in buckets whose bounds grow by a factor. Counts of two sets of calls add
 * up to those of both, so the hours of a day give the percentiles of the day. A percentile that is read
 * from them differs from the exact one by 10 % at most: by half of a bucket, and by the rounding to whole ms, which weighs
 * most at 11 ms.
 */

/** Bucket n holds durations from GROWTH^n to GROWTH^(n+1) ms. */
const GROWTH = 1.15
/** The last bucket holds all durations from 42 s on; a call is cut after 15 s. */
const BUCKET_MAX = 76

/** Bucket and count by turns, in the order of buckets; buckets without calls are left out. */
export type DurationCounts = readonly number[]

/** Whole milliseconds; 0 counts as 1. */
export function countsOf(durationMs: number): DurationCounts {
  const bucket = Math.floor(Math.log(Math.max(1, durationMs)) / Math.log(GROWTH))
  return [Math.min(bucket, BUCKET_MAX), 1]
}

export function addCounts(
  a: DurationCounts | undefined,
  b: DurationCounts | undefined,
): DurationCounts | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merged(a, b)
}

/** Both are in the order of buckets. */
function merged(a: DurationCounts, b: DurationCounts): DurationCounts {
  const all: number[] = []
  let [inA, inB] = [0, 0]
  while (inA < a.length || inB < b.length) {
    const [bucketA, bucketB] = [a[inA] ?? NONE, b[inB] ?? NONE]
    let count = 0
    if (bucketA <= bucketB) {
      count += a[inA + 1] ?? 0
      inA += 2
    }
    if (bucketB <= bucketA) {
      count += b[inB + 1] ?? 0
      inB += 2
    }
    all.push(Math.min(bucketA, bucketB), count)
  }
  return all
}

/** Behind every bucket. */
const NONE = Number.POSITIVE_INFINITY

export function callsIn(counts: DurationCounts): number {
  return pairsOf(counts).reduce((sum, [, count]) => sum + count, 0)
}

/** The duration in whole ms that `share` (0 to 1) of the calls did not exceed; 0 without calls. */
export function percentileMs(counts: DurationCounts, share: number): number {
  const rank = Math.max(1, Math.ceil(callsIn(counts) * share))
  let before = 0
  for (const [bucket, count] of pairsOf(counts)) {
    before += count
    if (before >= rank) return Math.round(GROWTH ** (bucket + 0.5))
  }
  return 0
}

function pairsOf(counts: DurationCounts): readonly (readonly [number, number])[] {
  return Array.from({ length: counts.length / 2 }, (_, index) => [
    counts[2 * index] ?? 0,
    counts[2 * index + 1] ?? 0,
  ])
}
