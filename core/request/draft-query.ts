/**
 * The query of a request: what the author fixed, then what arguments fill. name-clashes.ts keeps their
 * names apart, and unplaced.ts says why the order matters.
 */
import type { Json } from '../json/json.ts'
import type { Template } from '../skills/definition/template.ts'
import type { Pair } from './draft-headers.ts'
import { type Fills, fillPair, finish, lonePlace, plain, textOf, valueAt } from './fill-template.ts'
import type { RequestPlan } from './request-plan.ts'
import type { Unplaced } from './unplaced.ts'

/** Characters of the URL that common servers accept (nginx 8 k for the request line). */
export const URL_CHARS_MAX = 8000

export type QueryParts = {
  /** The endpoint's own query, filled; '' without one. */
  readonly own: string
  /** Of `config.query`, and with the secrets of `config.auth`. */
  readonly pairs: readonly Pair[]
  /** Of all other arguments, encoded; '' without any. */
  readonly filled: string
}

/** The skill's own pairs, filled. */
export function queryPairs({ query }: Pick<RequestPlan, 'query'>, fills: Fills): readonly Pair[] {
  const pairs: Pair[] = []
  for (const [name, template] of query) addPair(pairs, name, template, fills)
  return pairs
}

/** `placed` are pairs of arguments with a place of their own, encoded. */
export function filledQuery(placed: string, { first, last }: Unplaced): string {
  return joined([restText(first), placed, restText(last)])
}

function restText(entries: Unplaced['all']): string {
  const pairs: Pair[] = []
  for (const [name, value] of entries) addPairs(pairs, name, value)
  return pairs.length === 0 ? '' : formOf(finished(pairs, NO_SECRETS))
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map()

/** Characters that a form leaves unencoded (WHATWG URL 5.2); most pairs skip the encoder. */
const AS_IT_IS = /^[A-Za-z0-9*._-]*$/

/** `auth` holds the pairs of `config.auth`, which the author fixed, too. */
export function urlOf(
  base: string,
  { filled, own, pairs }: QueryParts,
  auth: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): string {
  const fixed = formOf(finished([...auth, ...pairs], secrets))
  const query = joined([own, fixed, filled])
  return query === '' ? base : `${base}?${query}`
}

function finished(
  pairs: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): readonly [string, string][] {
  return pairs.map(([name, value]) => [name, finish(value, secrets)])
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&')
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
