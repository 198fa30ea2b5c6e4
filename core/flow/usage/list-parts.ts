/** Reads the parts of a range of details one page after the other, each key once. */
import type { Ports } from '../../ports/ports.ts'
import type { DetailPart } from '../../usage/detail-parts.ts'
import type { Period } from '../../usage/periods.ts'
import type { DetailRange } from '../../usage/usage-detail.ts'

/** Parts of one read: 250 kB. */
const PARTS_AT_ONCE = 20

/** A part of the first page may begin before the range, and the last one may end after it. */
export async function* listParts(
  usageSums: Pick<Ports['usageSums'], 'parts'>,
  period: Period,
  { from, to }: DetailRange,
): AsyncGenerator<readonly DetailPart[]> {
  let next: string | undefined = from
  while (next !== undefined) {
    const of = { period, from: next, to, limit: PARTS_AT_ONCE }
    const parts: readonly DetailPart[] = await usageSums.parts(of)
    yield parts
    const end: string | undefined = parts.at(-1)?.to
    next = end !== undefined && (to === undefined || end < to) ? end : undefined
  }
}
