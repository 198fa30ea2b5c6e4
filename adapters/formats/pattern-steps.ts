/**
 * How long a backtracking engine can take over a pattern, for texts of any length and for those of
 * {@link SLOW_TEXT_CHARS_MAX}. For each text it keeps how many ways lead to each position after so many
 * characters; a text whose ways are all at most those of another one need not be followed. When no new
 * ones come, the ways are bounded for good and the time grows with the text alone. Never too low: what
 * cannot be followed within {@link EFFORT_MAX} is `undefined`.
 */
import { letterKinds } from './pattern-letters.ts'
import type { PatternPaths } from './pattern-paths.ts'
import { firstKnown, type Known, newMost, newWays, type Ways } from './pattern-ways.ts'

/** Longer than any email address (254). */
export const SLOW_TEXT_CHARS_MAX = 256
/** Characters for which texts are followed one by one. Most patterns repeat themselves by then. */
const EXACT_CHARS = 24
/** Additions and comparisons for one pattern: some 20 ms. */
export const EFFORT_MAX = 1_000_000
/** Past this no pattern is of use, and counts stay exact integers. */
const STEPS_END = 1e12

export type Search = {
  /**
   * `once`: one attempt at one place. `everywhere`: attempts that fail, at each place of the text; one
   * that can end with nothing left to check does not fail, so no way leads on from there.
   */
  readonly attempts: 'once' | 'everywhere'
  /** What it takes to look from a position that stands for a look. */
  readonly lookSteps: (position: number) => LookSteps
}

/** `fixed`: on any text. `slow`: more of them on longer texts, so many on SLOW_TEXT_CHARS_MAX. */
export type LookSteps = { readonly fixed: number; readonly slow: number }

export type Steps = {
  /** For a text of no characters, slow looks aside. */
  readonly atOnce: number
  /** The most for each character of a text of any length, slow looks aside; undefined: no bound. */
  readonly perChar: number | undefined
  /** A slow look is taken more than once. */
  readonly looksAgain: boolean
  /** For texts of 0, 1, … SLOW_TEXT_CHARS_MAX characters, slow looks included. */
  readonly upTo: readonly number[]
}

/** One way to stand before the text. */
const BEFORE: Ways = new Map([[0, 1]])

export function countSteps(paths: PatternPaths, search: Search): Steps | undefined {
  const costs = costsOf(paths, search)
  const known = firstKnown(BEFORE, EFFORT_MAX)
  let most = costOf(costs, new Map())
  let total = 0
  const upTo: number[] = []
  const mostAt: number[] = []
  for (const edge of afterEachCharacter(paths, search, known, costs)) {
    if (isGrowing(mostAt)) return stepsOf(costs, upTo, most, undefined)
    const standing = edge.map((ways) => costOf(costs, ways))
    // One attempt stands before its text once; what it costs there does not come again.
    const isBefore = upTo.length === 0 && search.attempts === 'once'
    if (isBefore) total += standing[0]?.steps ?? 0
    else most = standing.reduce(larger, most)
    total += most.steps
    if (known.left <= 0 || total > STEPS_END) return undefined
    upTo.push(total)
    mostAt.push(most.steps)
  }
  return known.left <= 0 ? undefined : stepsOf(costs, upTo, most, most.plain)
}

function stepsOf(
  costs: readonly Cost[],
  upTo: readonly number[],
  most: Cost,
  perChar: number | undefined,
): Steps {
  const atOnce = costs[0]?.plain ?? 0
  const steps = [...upTo]
  while (steps.length <= SLOW_TEXT_CHARS_MAX) steps.push((steps.at(-1) ?? 0) + most.steps)
  const looksAgain = most.steps > most.plain
  return { atOnce, perChar, looksAgain, upTo: steps.slice(0, SLOW_TEXT_CHARS_MAX + 1) }
}

/** The ways of the texts that matter, after 0, 1, … characters; ends when there are no new ones. */
function* afterEachCharacter(
  paths: PatternPaths,
  search: Search,
  known: Known,
  costs: readonly Cost[],
): Generator<readonly Ways[]> {
  const reading = { paths, search, readers: readersOf(paths), known }
  let edge: readonly Ways[] = [BEFORE]
  for (let chars = 1; edge.length > 0; chars += 1) {
    yield edge
    const found = edge.flatMap((ways) => successors(reading, ways))
    edge =
      chars > EXACT_CHARS
        ? newMost(known, found)
        : newWays(known, (ways) => costOf(costs, ways).plain, found)
  }
}

/** After SLOW_TEXT_CHARS_MAX more and more: it is a slow one. Counted rounds, `.{1,500}`, just go on. */
function isGrowing(mostAt: readonly number[]): boolean {
  if (mostAt.length <= SLOW_TEXT_CHARS_MAX) return false
  return (mostAt.at(-1) ?? 0) > (mostAt[SLOW_TEXT_CHARS_MAX / 2] ?? 0)
}

type Reading = {
  readonly paths: PatternPaths
  readonly search: Search
  /** For each kind of character, the letters of the pattern that it is. */
  readonly readers: readonly ReadonlySet<number>[]
  readonly known: Known
}

/** The ways after one more character, of each kind. */
function successors({ known, paths, readers, search }: Reading, ways: Ways): readonly Ways[] {
  const next = followed(paths, ways, known)
  known.left -= (next.size + 1) * readers.length
  return known.left > 0 ? readers.map((letters) => read(paths, search, next, letters)) : []
}

type Cost = { readonly steps: number; readonly plain: number }

function followed({ follow }: PatternPaths, ways: Ways, known: Known): Ways {
  const next = new Map<number, number>()
  for (const [position, count] of ways) {
    const steps = follow[position] ?? new Map<number, number>()
    known.left -= steps.size
    for (const [to, more] of steps) next.set(to, (next.get(to) ?? 0) + count * more)
  }
  return next
}

function read(
  { ends, reads }: PatternPaths,
  { attempts }: Search,
  next: Ways,
  letters: ReadonlySet<number>,
): Ways {
  const after = new Map<number, number>()
  if (attempts === 'everywhere') after.set(0, 1)
  for (const [position, count] of next) {
    if (!letters.has(reads[position] ?? -1)) continue
    // Whoever gets to an end never comes back from it: one way there is all that is tried.
    if (!ends.has(position)) after.set(position, count)
    else if (attempts === 'once') after.set(position, 1)
  }
  return after
}

/** For each kind of character, the letters of the pattern that it is. */
function readersOf({ letters }: PatternPaths): readonly ReadonlySet<number>[] {
  // A character that no letter reads ends all ways but that of the search itself.
  return [...letterKinds(letters).map((kind) => new Set(kind)), new Set<number>()]
}

/** Of standing at a position: every way on is tried. `plain` leaves slow looks out. */
function costsOf(paths: PatternPaths, { lookSteps }: Search): readonly Cost[] {
  return paths.follow.map((next) => {
    let plain = 1
    let slow = 0
    for (const [to, ways] of next) {
      const look = paths.looks.has(to) ? lookSteps(to) : { fixed: 0, slow: 0 }
      plain += ways * (1 + look.fixed)
      slow += ways * look.slow
    }
    return { plain, steps: plain + slow }
  })
}

function costOf(costs: readonly Cost[], ways: Ways): Cost {
  let cost = { plain: 0, steps: 0 }
  for (const [position, count] of ways) {
    const one = costs[position] ?? cost
    cost = { plain: cost.plain + count * one.plain, steps: cost.steps + count * one.steps }
  }
  return cost
}

function larger(one: Cost, two: Cost): Cost {
  return { plain: Math.max(one.plain, two.plain), steps: Math.max(one.steps, two.steps) }
}
