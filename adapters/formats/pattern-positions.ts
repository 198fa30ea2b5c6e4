/**
 * The positions of a pattern and the ways between them, while they are being made (pattern-paths.ts). Past
 * a limit nothing more is noted, so that a short pattern with large counts costs nothing.
 */
import type { PatternNode } from './pattern-syntax.ts'

/** Of a pattern with its counted rounds written out: `a{3}` has three. */
export const POSITIONS_MAX = 2_100
/** Pairs of positions with a way between them. */
export const WAYS_MAX = 20_000

export type Growing = {
  readonly reads: number[]
  readonly letters: Map<string, number>
  readonly follow: Map<number, number>[]
  readonly looks: Map<number, PatternNode>
  readonly again: boolean
  ways: number
  /** Past a limit: what is built from here on is thrown away. */
  full: boolean
}

export function beginGrowing(again: boolean): Growing {
  return {
    // Position 0 stands before the first character.
    reads: [-1],
    letters: new Map(),
    follow: [new Map()],
    looks: new Map(),
    again,
    ways: 0,
    full: false,
  }
}

export function addWays(growing: Growing, from: number, to: number, ways: number): void {
  growing.ways += 1
  if (growing.ways > WAYS_MAX) growing.full = true
  const next = growing.follow[from]
  if (growing.full || next === undefined) return
  next.set(to, (next.get(to) ?? 0) + ways)
}

export function newPosition(growing: Growing, letter: number): number {
  if (growing.reads.length > POSITIONS_MAX) growing.full = true
  if (growing.full) return 0
  growing.follow.push(new Map())
  return growing.reads.push(letter) - 1
}

export function letterOf({ letters }: Growing, text: string): number {
  const known = letters.get(text)
  if (known !== undefined) return known
  letters.set(text, letters.size)
  return letters.size - 1
}
