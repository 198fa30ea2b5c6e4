/**
 * Compares two texts line by line, for a person who decides about the change. What is equal at both
 * ends is skipped first. A middle part that is too large to compare counts as replaced.
 */

export type DiffLine = { readonly mark: ' ' | '+' | '-' | '…'; readonly text: string }

/** Unchanged lines that are shown before and after each change. */
const CONTEXT_LINES = 2
/** Pairs of lines that are compared at most: 2,000 lines with 2,000. */
export const LINE_PAIRS_MAX = 4_000_000

/** Returns the changed lines with some lines around them; empty for equal texts. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const start = countEqual(before, after)
  const end = countEqual([...before.slice(start)].reverse(), [...after.slice(start)].reverse())
  const middle = diffMiddle(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  )
  const all = [
    ...before.slice(0, start).map(toEqual),
    ...middle,
    ...before.slice(before.length - end).map(toEqual),
  ]
  return middle.length === 0 ? [] : keepContext(all)
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((line, index) => line !== b[index])
  return different === -1 ? a.length : different
}

function toEqual(text: string): DiffLine {
  return { mark: ' ', text }
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const isTooLarge = before.length * after.length > LINE_PAIRS_MAX
  const common = isTooLarge ? undefined : countCommonLines(before, after)
  const shown: DiffLine[] = []
  let [old, next] = [0, 0]
  while (old < before.length || next < after.length) {
    const mark = chooseMark({ before, after, common }, old, next)
    shown.push({ mark, text: (mark === '+' ? after[next] : before[old]) ?? '' })
    if (mark !== '+') old += 1
    if (mark !== '-') next += 1
  }
  return shown
}

type Compared = {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Undefined if the texts are too large. */
  readonly common: Uint16Array | undefined
}

function chooseMark({ after, before, common }: Compared, old: number, next: number) {
  if (next === after.length) return '-'
  if (old === before.length) return '+'
  if (common === undefined) return '-'
  if (before[old] === after[next]) return ' '
  const at = old * (after.length + 1) + next
  const ifRemoved = common[at + after.length + 1] ?? 0
  return ifRemoved >= (common[at + 1] ?? 0) ? '-' : '+'
}

/** For each pair of places: the lines that what is left of both texts has in common. */
function countCommonLines(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1
  const longest = new Uint16Array((before.length + 1) * width)
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let next = after.length - 1; next >= 0; next -= 1) {
      const at = old * width + next
      longest[at] =
        before[old] === after[next]
          ? (longest[at + width + 1] ?? 0) + 1
          : Math.max(longest[at + width] ?? 0, longest[at + 1] ?? 0)
    }
  }
  return longest
}

/** Replaces unchanged lines that are far from a change by one mark. */
function keepContext(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>()
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    for (let one = at - CONTEXT_LINES; one <= at + CONTEXT_LINES; one += 1) near.add(one)
  }
  return lines.flatMap((line, at) => {
    if (near.has(at)) return [line]
    return at === 0 || near.has(at - 1) ? [{ mark: '…', text: '' } as const] : []
  })
}
