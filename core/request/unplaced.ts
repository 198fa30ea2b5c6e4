/**
 * The arguments of a call that have neither a template nor a place of their own, in the order in which
 * pairs are written: servers read a limited number of pairs, PHP and qs a thousand, and what a caller may
 * send without bound must not push out an argument that the schema names.
 */
import type { Json } from '../json/json.ts'

type Entries = readonly (readonly [string, Json])[]

export type Unplaced = {
  /** As they were sent. */
  readonly all: Entries
  /** One pair each, and named by the schema. */
  readonly first: Entries
  readonly last: Entries
}

export function unplaced(all: Entries, isKnown: (name: string) => boolean): Unplaced {
  const isFirst = ([name, value]: readonly [string, Json]) => !Array.isArray(value) && isKnown(name)
  if (all.every(isFirst)) return { all, first: all, last: [] }
  return { all, first: all.filter(isFirst), last: all.filter((entry) => !isFirst(entry)) }
}
