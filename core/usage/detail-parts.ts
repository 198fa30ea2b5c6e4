/**
 * Parts of the details of a period. The parts of a period divide all keys among them, and a part is
 * only ever divided, never joined: so a reader that goes from the end of a part to the next one
 * meets each key once, whatever is written meanwhile.
 */
import type { DetailRange, UsageDetail } from './usage-detail.ts'
import { isInRange, toDetailKey, writeDetail } from './usage-detail.ts'

export type DetailPart = DetailRange & {
  /** How often the part was written; 0 for a part that is not stored. */
  readonly version: number
  readonly details: readonly UsageDetail[]
}

/**
 * Characters of JSON in a part: about 12 kB gzipped, or three read units, which is what one user's
 * month costs.
 */
export const PART_CHARS_MAX = 48_000

export type NewPart = DetailRange & { readonly details: readonly UsageDetail[] }

/** Divides the range among as many parts as the details need, which are in the order of keys. */
export function divideIntoParts(
  { from, to }: DetailRange,
  details: readonly UsageDetail[],
): readonly [NewPart, ...NewPart[]] {
  const starts = [0]
  let chars = 0
  for (const [at, detail] of details.entries()) {
    const more = writeDetail(detail).length + 1
    if (chars > 0 && chars + more > PART_CHARS_MAX) {
      starts.push(at)
      chars = 0
    }
    chars += more
  }
  const keyAt = (at: number | undefined) => {
    const detail = at === undefined ? undefined : details[at]
    return detail === undefined ? to : toDetailKey(detail)
  }
  const parts = starts.map(
    (start, index): NewPart => ({
      from: index === 0 ? from : (keyAt(start) ?? from),
      to: keyAt(starts[index + 1]),
      details: details.slice(start, starts[index + 1]),
    }),
  )
  const [first = { from, to, details }, ...others] = parts
  return [first, ...others]
}

/** The details of a part after those of `range` became `fresh`. */
export function replaceInPart(
  part: Pick<DetailPart, 'details'>,
  range: DetailRange,
  fresh: readonly UsageDetail[],
): readonly UsageDetail[] {
  const keyed = part.details.map((detail) => [toDetailKey(detail), detail] as const)
  const { from, to } = range
  return [
    ...keyed.filter(([key]) => key < from).map(([, detail]) => detail),
    ...fresh,
    ...keyed.filter(([key]) => to !== undefined && key >= to).map(([, detail]) => detail),
  ]
}

/** The details of a part that are in the range. */
export function selectDetails(
  { details }: Pick<DetailPart, 'details'>,
  range: DetailRange,
): readonly UsageDetail[] {
  return details.filter((detail) => isInRange(toDetailKey(detail), range))
}

export function areSameDetails(a: readonly UsageDetail[], b: readonly UsageDetail[]): boolean {
  return a.length === b.length && a.every((one, at) => isSameDetail(one, b[at]))
}

function isSameDetail(a: UsageDetail, b: UsageDetail | undefined): boolean {
  return b !== undefined && writeDetail(a) === writeDetail(b)
}

/** The keys that are in both ranges; undefined if there are none. */
export function intersectRanges(a: DetailRange, b: DetailRange): DetailRange | undefined {
  const from = a.from > b.from ? a.from : b.from
  const to = findEarlierEnd(a.to, b.to)
  return to !== undefined && from >= to ? undefined : { from, to }
}

/** The earlier of two ends of ranges. */
export function findEarlierEnd(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? a : b
}
