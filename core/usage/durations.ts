/**
 * How long calls took, counted in buckets whose bounds grow by a factor. The counts of two sets of
 * calls add up to those of both, so the hours of a day give the percentiles of the day. A
 * percentile from buckets differs from the exact one by 10 % at most: half a bucket, and the
 * rounding to whole ms, which is largest at 11 ms.
 */

/** Bucket n holds durations from GROWTH^n to GROWTH^(n+1) ms. */
const GROWTH = 1.15
/** The last bucket has all durations from 42 s on; a call is stopped after 15 s. */
const BUCKET_MAX = 76

/** Bucket and count in turn, in the order of buckets; buckets without calls are omitted. */
export type DurationCounts = readonly number[]

/** Counts one call of whole milliseconds; 0 is counted as 1. */
export function countDuration(durationMs: number): DurationCounts {
  const bucket = Math.floor(Math.log(Math.max(1, durationMs)) / Math.log(GROWTH))
  return [Math.min(bucket, BUCKET_MAX), 1]
}

/** Adds two counts; undefined if both are. */
export function addCounts(
  a: DurationCounts | undefined,
  b: DurationCounts | undefined,
): DurationCounts | undefined {
  return a === undefined || b === undefined ? (a ?? b) : mergeCounts(a, b)
}

/** Merges two counts that are in the order of buckets. */
function mergeCounts(a: DurationCounts, b: DurationCounts): DurationCounts {
  const all: number[] = []
  let [inA, inB] = [0, 0]
  while (inA < a.length || inB < b.length) {
    const [bucketA, bucketB] = [a[inA] ?? AFTER_ALL_BUCKETS, b[inB] ?? AFTER_ALL_BUCKETS]
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

/** A bucket number after every bucket. */
const AFTER_ALL_BUCKETS = Number.POSITIVE_INFINITY

/** Number of counted calls. */
export function countCalls(counts: DurationCounts): number {
  return toPairs(counts).reduce((sum, [, count]) => sum + count, 0)
}

/** The duration in whole ms that `share` (0 to 1) of the calls did not exceed; 0 without calls. */
export function computePercentileMs(counts: DurationCounts, share: number): number {
  const rank = Math.max(1, Math.ceil(countCalls(counts) * share))
  let before = 0
  for (const [bucket, count] of toPairs(counts)) {
    before += count
    if (before >= rank) return Math.round(GROWTH ** (bucket + 0.5))
  }
  return 0
}

function toPairs(counts: DurationCounts): readonly (readonly [number, number])[] {
  return Array.from({ length: counts.length / 2 }, (_, index) => [
    counts[2 * index] ?? 0,
    counts[2 * index + 1] ?? 0,
  ])
}
