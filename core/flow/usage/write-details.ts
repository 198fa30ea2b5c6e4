/** Writes new details of a part, which is divided if it grows. Bound by ADR 0139. */
import type { Ports } from '../../ports/ports.ts'
import {
  areSameDetails,
  type DetailPart,
  divideIntoParts,
  selectDetails,
} from '../../usage/detail-parts.ts'
import type { Period } from '../../usage/periods.ts'
import type { UsageDetail } from '../../usage/usage-detail.ts'

/** Parts that one write makes: 250 kB, and few enough for one transaction. */
const PARTS_PER_WRITE = 20

/**
 * Writes nothing if the details are those of the part. More parts than one write makes are written
 * one write after the other; the last part of each write keeps the former details until then. Returns
 * false if somebody else wrote the part.
 */
export async function writePart(
  { usageSums }: { readonly usageSums: Pick<Ports['usageSums'], 'replacePart'> },
  period: Period,
  part: DetailPart,
  details: readonly UsageDetail[],
): Promise<boolean> {
  if (areSameDetails(part.details, details)) return true
  const all = divideIntoParts(part, details)
  let before: Pick<DetailPart, 'from' | 'version'> = part
  for (let at = 0; at < all.length; at += PARTS_PER_WRITE) {
    const [first, ...others] = all.slice(at, at + PARTS_PER_WRITE)
    if (first === undefined) break
    const next = all[at + PARTS_PER_WRITE]
    const range = next && { from: next.from, to: part.to }
    const rest = range === undefined ? [] : [{ ...range, details: selectDetails(part, range) }]
    const isWritten = await usageSums.replacePart({
      period,
      before,
      parts: [first, ...others, ...rest],
    })
    if (!isWritten) return false
    if (next !== undefined) before = { from: next.from, version: before.version + 1 }
  }
  return true
}
