/**
 * A pattern as positions (one for each character that it can read) and how many ways lead from one to
 * the next without reading: Glushkov's automaton with counts. A backtracking engine may try every way,
 * so the counts are kept exactly, ways that end in an assertion or an empty round included; those end
 * in a position that reads nothing. Follows ECMA-262 22.2.2: a round of `*` that reads nothing is cut.
 */
import { addWays, beginGrowing, type Growing, letterOf, newPosition } from './pattern-positions.ts'
import type { PatternNode } from './pattern-syntax.ts'

/** Position 0 stands before the first character. */
export type PatternPaths = {
  /** What each position reads: an index into `letters`; -1 for those that read nothing. */
  readonly reads: readonly number[]
  readonly letters: readonly string[]
  /** Ways from a position to the next ones. */
  readonly follow: readonly ReadonlyMap<number, number>[]
  /** Positions from which the pattern can end with nothing left to check: there a search is over. */
  readonly ends: ReadonlySet<number>
  /** The looks that positions stand for. */
  readonly looks: ReadonlyMap<number, PatternNode>
}

/** What can match first and last in a part, and in how many ways it can match nothing. */
type Part = {
  readonly empty: number
  /** One of the empty ways passes no assertion. */
  readonly sure: boolean
  readonly first: ReadonlyMap<number, number>
  readonly last: ReadonlyMap<number, End>
}
type End = { readonly ways: number; readonly sure: boolean }

/**
 * Undefined when it has over POSITIONS_MAX or WAYS_MAX. `again`: as attempts after the
 * first one see it, in which `^` cannot match.
 */
export function pathsOf(
  root: PatternNode,
  { again }: { readonly again: boolean },
): PatternPaths | undefined {
  const growing = beginGrowing(again)
  const whole = partOf(growing, root)
  for (const [to, ways] of whole.first) addWays(growing, 0, to, ways)
  if (growing.full) return undefined
  const ends = new Set(whole.sure ? [0] : [])
  for (const [position, { sure }] of whole.last) if (sure) ends.add(position)
  const { reads, follow, letters, looks } = growing
  return { reads, follow, letters: [...letters.keys()], looks, ends }
}

const NOTHING: Part = { empty: 1, sure: true, first: new Map(), last: new Map() }

function partOf(growing: Growing, node: PatternNode): Part {
  if (growing.full) return NOTHING
  switch (node.kind) {
    case 'letter': {
      const position = newPosition(growing, letterOf(growing, node.text))
      const last = new Map([[position, { ways: 1, sure: true }]])
      return { empty: 0, sure: false, first: new Map([[position, 1]]), last }
    }
    case 'start':
      return checked(growing, growing.again ? 0 : 1)
    case 'assertion':
      return checked(growing, 1)
    case 'look': {
      const part = checked(growing, 1)
      for (const position of part.first.keys()) growing.looks.set(position, node.body)
      return part
    }
    case 'sequence':
      return node.parts.reduce(
        (done, next) => joined(growing, done, partOf(growing, next)),
        NOTHING,
      )
    case 'choice':
      return node.parts.map((part) => partOf(growing, part)).reduce(either)
    case 'repeat':
      return repeated(growing, node)
    default:
      return node satisfies never
  }
}

function repeated(
  growing: Growing,
  { body, max, min }: { body: PatternNode; min: number; max: number },
): Part {
  let rest = NOTHING
  let required = min
  if (max === Number.POSITIVE_INFINITY) {
    const part = partOf(growing, body)
    loop(growing, part)
    // The last required round can itself be the loop, if it must read.
    if (min > 0 && part.empty === 0) {
      required = min - 1
      rest = part
    } else rest = optional(reading(growing, part))
  } else rest = optionalRounds(growing, body, max - min)
  let done = NOTHING
  for (let round = 0; round < required && !growing.full; round += 1) {
    done = joined(growing, done, partOf(growing, body))
  }
  return joined(growing, done, rest)
}

/** Each round alone or with those behind it. One list of ends for all: copies would cost the square. */
function optionalRounds(growing: Growing, body: PatternNode, rounds: number): Part {
  const last = new Map<number, End>()
  let rest = NOTHING
  for (let round = 0; round < rounds && !growing.full; round += 1) {
    const part = reading(growing, partOf(growing, body))
    connect(growing, part.last, rest.first)
    for (const [from, { sure, ways }] of part.last) {
      last.set(from, { ways: ways * rest.empty, sure: sure && rest.sure })
    }
    rest = { empty: 1, sure: true, first: part.first, last }
  }
  return rest
}

/** From each end of a round into the next. An empty next round is tried, and cut. */
function loop(growing: Growing, part: Part): void {
  const next = reading(growing, part)
  connect(growing, next.last, next.first)
}

/** The part where it reads something; its empty ways become dead ends. */
function reading(growing: Growing, part: Part): Part {
  if (part.empty === 0) return part
  const cut = newPosition(growing, -1)
  return { ...part, empty: 0, sure: false, first: new Map([...part.first, [cut, part.empty]]) }
}

function optional(part: Part): Part {
  return { ...part, empty: part.empty + 1, sure: true }
}

/** An assertion: tried (a dead end), and passed in `empty` ways. */
function checked(growing: Growing, empty: number): Part {
  const first = new Map([[newPosition(growing, -1), 1]])
  return { empty, sure: false, first, last: new Map() }
}

function joined(growing: Growing, one: Part, two: Part): Part {
  connect(growing, one.last, two.first)
  const first = new Map(one.first)
  if (one.empty > 0) {
    for (const [to, ways] of two.first) first.set(to, (first.get(to) ?? 0) + ways * one.empty)
  }
  const last = new Map(two.last)
  if (two.empty > 0) {
    for (const [from, { sure, ways }] of one.last) {
      last.set(from, { ways: ways * two.empty, sure: sure && two.sure })
    }
  }
  return { empty: one.empty * two.empty, sure: one.sure && two.sure, first, last }
}

function either(one: Part, two: Part): Part {
  return {
    empty: one.empty + two.empty,
    sure: one.sure || two.sure,
    first: new Map([...one.first, ...two.first]),
    last: new Map([...one.last, ...two.last]),
  }
}

function connect(
  growing: Growing,
  from: ReadonlyMap<number, End>,
  to: ReadonlyMap<number, number>,
): void {
  for (const [one, { ways }] of from) {
    for (const [two, more] of to) addWays(growing, one, two, ways * more)
  }
}
