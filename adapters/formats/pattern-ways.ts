/**
 * Which of the ways that texts have through a pattern are new: those that are not all at most the ways of
 * a text that was met before. What follows from fewer ways is fewer ways, so only new ones are followed.
 */

/** How many ways a text has to each position that it can stand at. */
export type Ways = ReadonlyMap<number, number>

/** All ways that were met, by each of their positions; the most of them; how much more may be spent. */
export type Known = {
  readonly byPosition: Map<number, Ways[]>
  readonly most: Map<string, Map<number, number>>
  left: number
}

export function firstKnown(ways: Ways, effort: number): Known {
  const known: Known = { byPosition: new Map(), most: new Map(), left: effort }
  note(known, ways)
  return known
}

/** Those that nothing known is above. The costly ones come first: they are above most of the others. */
export function newWays(
  known: Known,
  costOf: (ways: Ways) => number,
  found: readonly Ways[],
): readonly Ways[] {
  const priced = found.map((ways) => ({ ways, cost: costOf(ways) }))
  priced.sort((one, two) => two.cost - one.cost)
  return priced.flatMap(({ ways }) => {
    if (known.left <= 0 || isBelowKnown(known, ways)) return []
    note(known, ways)
    return [ways]
  })
}

/**
 * Of texts that stand at the same positions one stands for all: it has the most of their ways at each.
 * No text may be so bad, none is worse. New is what has more than those before it had.
 */
export function newMost(known: Known, found: readonly Ways[]): readonly Ways[] {
  const grown = new Set<Map<number, number>>()
  for (const ways of found) {
    known.left -= ways.size
    const key = [...ways.keys()].sort((one, two) => one - two).join()
    const most = known.most.get(key) ?? new Map<number, number>()
    known.most.set(key, most)
    for (const [position, count] of ways) {
      if (count <= (most.get(position) ?? 0)) continue
      most.set(position, count)
      grown.add(most)
    }
  }
  return [...grown].map((most) => new Map(most))
}

/** Whatever is above `ways` holds each of its positions, so one position's list is enough to look in. */
function isBelowKnown(known: Known, ways: Ways): boolean {
  let fewest: readonly Ways[] | undefined
  for (const position of ways.keys()) {
    const others = known.byPosition.get(position) ?? []
    if (fewest === undefined || others.length < fewest.length) fewest = others
  }
  return fewest === undefined || fewest.some((other) => isAtMost(known, ways, other))
}

function note(known: Known, ways: Ways): void {
  for (const position of ways.keys()) {
    const others = known.byPosition.get(position)
    if (others === undefined) known.byPosition.set(position, [ways])
    else others.push(ways)
  }
}

function isAtMost(known: Known, ways: Ways, other: Ways): boolean {
  for (const [position, count] of ways) {
    known.left -= 1
    if ((other.get(position) ?? 0) < count) return false
  }
  return true
}
