/**
 * The delivered replies of a session: all up to `low`, and those in `above`. The set has only
 * replies that overtook a slower one.
 */

export type Watermark = { readonly low: number; readonly above: ReadonlySet<number> }

/** Shared by all watermarks without gaps; nearly all of a thousand streams have none. */
const NO_GAPS: ReadonlySet<number> = new Set()

/** All requests up to `low` are delivered. */
export function startWatermark(low: number): Watermark {
  return { low, above: NO_GAPS }
}

export function hasDelivered(watermark: Watermark, seq: number): boolean {
  return seq <= watermark.low || watermark.above.has(seq)
}

/** Sequence numbers greater than `after`, up to and including `upTo` or without end. */
export type SeqRange = { readonly after: number; readonly upTo?: number }

/**
 * With more ranges than this, the nearest are joined, and delivered replies between them are read
 * again.
 */
export const MISSING_RANGES_MAX = 8

/** The ranges that are not delivered, lowest first; the last has no end. */
export function listMissingRanges({ above, low }: Watermark): readonly SeqRange[] {
  const ranges: SeqRange[] = []
  let after = low
  for (const seq of [...above].sort((a, b) => a - b)) {
    if (seq > after + 1) ranges.push({ after, upTo: seq - 1 })
    after = seq
  }
  ranges.push({ after })
  while (ranges.length > MISSING_RANGES_MAX) joinNearest(ranges)
  return ranges
}

function joinNearest(ranges: SeqRange[]): void {
  const deliveredBefore = (at: number) => (ranges[at]?.after ?? 0) - (ranges[at - 1]?.upTo ?? 0)
  let nearest = 1
  for (let at = 2; at < ranges.length; at += 1) {
    if (deliveredBefore(at) < deliveredBefore(nearest)) nearest = at
  }
  const [first, second] = ranges.slice(nearest - 1, nearest + 1)
  if (first === undefined || second === undefined) return
  ranges.splice(nearest - 1, 2, { ...second, after: first.after })
}

/** Marks one reply as delivered and raises `low` over consecutive ones. */
export function markDelivered(watermark: Watermark, seq: number): Watermark {
  if (hasDelivered(watermark, seq)) return watermark
  const above = new Set(watermark.above).add(seq)
  return compact(watermark.low, above)
}

/** Marks everything up to `low` as delivered, because the record no longer has it. */

export function advanceWatermark(watermark: Watermark, low: number): Watermark {
  if (low <= watermark.low) return watermark
  const above = new Set([...watermark.above].filter((seq) => seq > low))
  return compact(low, above)
}

function compact(low: number, above: Set<number>): Watermark {
  let next = low
  while (above.delete(next + 1)) next += 1
  return { low: next, above: above.size === 0 ? NO_GAPS : above }
}
