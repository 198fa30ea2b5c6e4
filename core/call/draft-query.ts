/**
 * The query of a request: the endpoint's pairs, the skill's own pairs, and the arguments that go
 * into the query. An argument never changes or repeats a name that the author fixed.
 */
import type { Json } from '../json/json.ts'
import type { Template } from '../skills/template.ts'
import type { Pair } from './draft-headers.ts'
import { type Fills, fillPair, finish, lonePlace, plain, textOf, valueAt } from './fill-template.ts'
import type { RequestPlan } from './request-plan.ts'

/** Characters of the URL that common servers accept (nginx 8 k for the request line). */
export const URL_CHARS_MAX = 8000

/** `own` is the endpoint's query; `rest` holds the arguments that go only into the query. */
export function queryPairs(
  { query, queryNames }: Pick<RequestPlan, 'query' | 'queryNames'>,
  own: string,
  fills: Fills,
  rest: readonly (readonly [string, Json])[],
): readonly Pair[] {
  const pairs: Pair[] = []
  for (const [name, template] of query) addPair(pairs, name, template, fills)
  if (rest.length === 0) return pairs
  const ownNames = own === '' ? NONE : new Set(new URLSearchParams(own).keys())
  for (const [name, value] of rest) {
    if (!queryNames.has(name) && !ownNames.has(name)) addPairs(pairs, name, value)
  }
  return pairs
}

const NONE: ReadonlySet<string> = new Set()
/** Characters that a form leaves unencoded (WHATWG URL 5.2); most pairs skip the encoder. */
const AS_IT_IS = /^[A-Za-z0-9*._-]*$/

export function urlOf(
  base: string,
  own: string,
  pairs: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): string {
  if (pairs.length === 0) return own === '' ? base : `${base}?${own}`
  const added = pairs.map(([name, value]): [string, string] => [name, finish(value, secrets)])
  return `${base}?${own === '' ? '' : `${own}&`}${formOf(added)}`
}

function formOf(pairs: readonly [string, string][]): string {
  const isPlain = pairs.every(([name, value]) => AS_IT_IS.test(name) && AS_IT_IS.test(value))
  if (!isPlain) return new URLSearchParams([...pairs]).toString()
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

/** A single place encodes its argument as an untemplated argument is: arrays repeat the name. */
function addPair(pairs: Pair[], name: string, template: Template, fills: Fills): void {
  const alone = lonePlace(template)
  if (alone !== undefined) {
    addPairs(pairs, name, valueAt(fills, alone) ?? null)
    return
  }
  const filled = fillPair(template, fills)
  if (filled !== undefined) pairs.push([name, filled])
}

/**
 * Arrays repeat the name, null sends nothing, and an object is sent as JSON. Adds one by one: an
 * array may have more items than one call of `push` takes.
 */
function addPairs(pairs: Pair[], name: string, value: Json): void {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  for (const item of items) if (item !== null) pairs.push([name, plain(textOf(item))])
}
