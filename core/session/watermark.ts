/**
 * The delivered replies of a session: all up to `low`, and those in `above`. The set is only as
 * large as the number of replies that overtook a slower one.
 */

export type Watermark = { readonly low: number; readonly above: ReadonlySet<number> }

export function startWatermark(low: number): Watermark {
  return { low, above: new Set() }
}

export function hasDelivered(watermark: Watermark, seq: number): boolean {
  return seq <= watermark.low || watermark.above.has(seq)
}

/** Records one delivery, and raises `low` over consecutive ones. */
export function deliver(watermark: Watermark, seq: number): Watermark {
  if (hasDelivered(watermark, seq)) return watermark
  const above = new Set(watermark.above).add(seq)
  return compact(watermark.low, above)
}

/** Everything up to `low` is delivered, because the record has dropped it. */
export function advanceTo(watermark: Watermark, low: number): Watermark {
  if (low <= watermark.low) return watermark
  const above = new Set([...watermark.above].filter((seq) => seq > low))
  return compact(low, above)
}

function compact(low: number, above: Set<number>): Watermark {
  let next = low
  while (above.delete(next + 1)) next += 1
  return { low: next, above }
}
