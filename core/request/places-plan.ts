/** The places of a skill's arguments by where they are, sorted once per skill. */
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'

export type PlacesPlan = {
  readonly all: readonly ArgumentPlace[]
  /** By argument: the endpoint has its `{name}`. */
  readonly path: ReadonlyMap<string, ArgumentPlace>
  readonly query: readonly ArgumentPlace[]
  readonly header: readonly ArgumentPlace[]
  readonly body: readonly ArgumentPlace[]
}

export function placesPlan(places: readonly ArgumentPlace[] | undefined): PlacesPlan | undefined {
  if (places === undefined) return undefined
  const inside = (where: ArgumentPlace['in']) => places.filter((place) => place.in === where)
  return {
    all: places,
    path: new Map(inside('path').map((place) => [place.argument, place])),
    query: inside('query'),
    header: inside('header'),
    body: inside('body'),
  }
}
