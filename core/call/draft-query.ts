/**
 * The query of a request: what the endpoint has, the skill's own pairs, and the arguments that go
 * there. What the author has fixed no argument changes, and no name is sent beside its own.
 */
import type { Json, JsonObject } from '../json/json.ts'
import type { Skill } from '../skills/skill.ts'
import type { Template } from '../skills/template.ts'
import type { Pair } from './draft-headers.ts'
import { argOf, fillPair, finish, loneArg, plain, textOf } from './fill-template.ts'

/** `own` is the endpoint's query; `rest` the arguments that go to the query and nowhere else. */
export function queryPairs(
  { query, auth }: Pick<Skill, 'auth' | 'query'>,
  own: string,
  args: JsonObject,
  rest: readonly (readonly [string, Json])[],
): readonly Pair[] {
  const fixed = Object.entries(query).flatMap(([name, template]) => queryPair(name, template, args))
  const taken = new Set([...new URLSearchParams(own).keys(), ...Object.keys(query)])
  if (auth?.type === 'query') taken.add(auth.name)
  const added = rest
    .filter(([name]) => !taken.has(name))
    .flatMap(([name, value]) => pairsOf(name, value))
  return [...fixed, ...added]
}

export function urlOf(
  base: string,
  own: string,
  pairs: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): string {
  const added = pairs.map(([name, value]): [string, string] => [name, finish(value, secrets)])
  const query = [own, new URLSearchParams(added).toString()].filter((part) => part !== '')
  return query.length === 0 ? base : `${base}?${query.join('&')}`
}

/** A place alone takes an argument as it would be taken without a template: arrays repeat the name. */
function queryPair(name: string, template: Template, args: JsonObject): readonly Pair[] {
  const alone = loneArg(template)
  if (alone !== undefined) return pairsOf(name, argOf(args, alone) ?? null)
  const filled = fillPair(template, args)
  return filled === undefined ? [] : [[name, filled]]
}

/** An array repeats the name; null means that nothing is sent; an object goes as JSON. */
function pairsOf(name: string, value: Json): readonly Pair[] {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  return items.filter((item) => item !== null).map((item) => [name, plain(textOf(item))])
}
