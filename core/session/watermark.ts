/**
 * Which replies of a session were delivered: all up to `low`, and those in `above`.
 * The set stays as small as the number of replies that overtook a slower one.
 */

export type Watermark = { readonly low: number; readonly above: ReadonlySet<number> }

export function startWatermark(low: number): Watermark {
  return { low, above: new Set() }
}

export function hasDelivered(mark: Watermark, seq: number): boolean {
  return seq <= mark.low || mark.above.has(seq)
}

/** Notes one delivery and closes the gap where there is none left. */
export function deliver(mark: Watermark, seq: number): Watermark {
  if (hasDelivered(mark, seq)) return mark
  const above = new Set(mark.above).add(seq)
  return settle(mark.low, above)
}

/** Everything up to `low` is known to be delivered (forgotten by the record). */
export function advanceTo(mark: Watermark, low: number): Watermark {
  if (low <= mark.low) return mark
  const above = new Set([...mark.above].filter((seq) => seq > low))
  return settle(low, above)
}

function settle(low: number, above: Set<number>): Watermark {
  let next = low
  while (above.delete(next + 1)) next += 1
  return { low: next, above }
}
