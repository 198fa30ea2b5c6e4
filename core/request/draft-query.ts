/**
 * Writes the query of a request: first the author's fixed pairs, then the pairs of arguments.
 * name-clashes.ts keeps their names apart. unplaced.ts explains why the order matters.
 */
import type { Json } from '../json/json.ts'
import type { Template } from '../skills/definition/template.ts'
import type { Pair } from './draft-headers.ts'
import {
  type Fills,
  fillPair,
  fillSecretPieces,
  findLonePlace,
  readFill,
  toFilledText,
  toPlainText,
} from './fill-template.ts'
import type { RequestPlan } from './request-plan.ts'
import type { Unplaced } from './unplaced.ts'

/** Characters of the URL that common servers accept (nginx 8 k for the request line). */
export const URL_CHARS_MAX = 8000

export type QueryParts = {
  /** The endpoint's own query, filled; '' without a query. */
  readonly own: string
  /** Pairs of `config.query`. */
  readonly pairs: readonly Pair[]
  /** Encoded pairs of all other arguments; '' without pairs. */
  readonly filled: string
}

/** Fills the pairs of `config.query`. */
export function draftQueryPairs(
  { query }: Pick<RequestPlan, 'query'>,
  fills: Fills,
): readonly Pair[] {
  const pairs: Pair[] = []
  for (const [name, template] of query) addPair(pairs, name, template, fills)
  return pairs
}

/** Joins `placed`, the encoded pairs of arguments with a place, and pairs of other arguments. */
export function joinFilledQuery(placed: string, { first, last }: Unplaced): string {
  return joinParts([writeRest(first), placed, writeRest(last)])
}

function writeRest(entries: Unplaced['all']): string {
  const pairs: Pair[] = []
  for (const [name, value] of entries) addPairs(pairs, name, value)
  return pairs.length === 0 ? '' : writeForm(fillSecrets(pairs, NO_SECRETS))
}

const NO_SECRETS: ReadonlyMap<string, string> = new Map()

/** Characters that a form does not encode (WHATWG URL 5.2). Most pairs need no encoder. */
const UNENCODED = /^[A-Za-z0-9*._-]*$/

/** Makes the URL. `auth` has the pairs of `config.auth`, which are fixed pairs, too. */
export function writeUrl(
  base: string,
  { filled, own, pairs }: QueryParts,
  auth: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): string {
  const fixed = writeForm(fillSecrets([...auth, ...pairs], secrets))
  const query = joinParts([own, fixed, filled])
  return query === '' ? base : `${base}?${query}`
}

function fillSecrets(
  pairs: readonly Pair[],
  secrets: ReadonlyMap<string, string>,
): readonly [string, string][] {
  return pairs.map(([name, value]) => [name, fillSecretPieces(value, secrets)])
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('&')
}

function writeForm(pairs: readonly [string, string][]): string {
  const isPlain = pairs.every(([name, value]) => UNENCODED.test(name) && UNENCODED.test(value))
  if (!isPlain) return new URLSearchParams([...pairs]).toString()
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

/** A lone place writes its argument like one without a template: arrays repeat the name. */
function addPair(pairs: Pair[], name: string, template: Template, fills: Fills): void {
  const alone = findLonePlace(template)
  if (alone !== undefined) {
    addPairs(pairs, name, readFill(fills, alone) ?? null)
    return
  }
  const filled = fillPair(template, fills)
  if (filled !== undefined) pairs.push([name, filled])
}

/**
 * Arrays repeat the name, null is left out, and an object is written as JSON. Pairs are added one
 * by one, because an array may have more items than one call of `push` accepts.
 */
function addPairs(pairs: Pair[], name: string, value: Json): void {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  for (const item of items) if (item !== null) pairs.push([name, toFilledText(toPlainText(item))])
}
