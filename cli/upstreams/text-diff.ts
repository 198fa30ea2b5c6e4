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
  if (before.length * after.length > LINE_PAIRS_MAX) {
    return [
      ...before.map((text): DiffLine => ({ mark: '-', text })),
      ...after.map((text): DiffLine => ({ mark: '+', text })),
    ]
  }
  const longest = countCommonLines(before, after)
  const width = after.length + 1
  const shown: DiffLine[] = []
  let [old, next] = [0, 0]
  while (old < before.length || next < after.length) {
    const [from = '', to = ''] = [before[old], after[next]]
    const below = old < before.length ? (longest[(old + 1) * width + next] ?? 0) : -1
    const beside = next < after.length ? (longest[old * width + next + 1] ?? 0) : -1
    if (old < before.length && next < after.length && from === to) {
      shown.push(toEqual(from))
      old += 1
      next += 1
    } else if (below >= beside) {
      shown.push({ mark: '-', text: from })
      old += 1
    } else {
      shown.push({ mark: '+', text: to })
      next += 1
    }
  }
  return shown
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
