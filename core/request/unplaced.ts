/**
 * Orders the arguments of a call that have neither a template nor a place. Servers read a limited
 * number of pairs, PHP and qs a thousand. Pairs without a limit, such as items of an array or
 * unknown arguments, therefore come after the arguments that the schema names.
 */
import type { Json } from '../json/json.ts'

type Entries = readonly (readonly [string, Json])[]

export type Unplaced = {
  /** All arguments in the order in which they were sent. */
  readonly all: Entries
  /** Arguments of the schema with one pair each. */
  readonly first: Entries
  readonly last: Entries
}

export function orderUnplaced(all: Entries, isKnown: (name: string) => boolean): Unplaced {
  const isFirst = ([name, value]: readonly [string, Json]) => !Array.isArray(value) && isKnown(name)
  if (all.every(isFirst)) return { all, first: all, last: [] }
  return { all, first: all.filter(isFirst), last: all.filter((entry) => !isFirst(entry)) }
}
