/**
 * Patterns whose time grows faster than the text, held to texts that are short enough, and to so many
 * of them in one value (pattern-fault.ts, ADR 0021). The schema that is checked against says the bound
 * itself; the one that is stored and shown stays as it was sent.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { type PatternUse, patternUse } from './pattern-fault.ts'
import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.ts'

/** For all texts of one value: some 200 ms. */
export const VALUE_STEPS_MAX = 20_000_000

type SlowPattern = Extract<PatternUse, { kind: 'short-text' }>

export type Bounded = { readonly schema: Json; readonly slow: readonly SlowPattern[] }

/** A copy in which each slow pattern is run on short texts alone. Throws for a pattern that is refused. */
export function boundPatterns(schema: Json): Bounded {
  const slow: SlowPattern[] = []
  return { schema: bounded(schema, slow), slow }
}

/** What is wrong with a value that has too much text for its slow patterns. */
export function slowTextFault(value: Json, slow: readonly SlowPattern[]): string | undefined {
  let steps = 0
  for (const text of textsOf(value)) {
    const chars = charsOf(text)
    for (const pattern of slow) {
      if (chars <= pattern.charsMax) steps += pattern.steps[chars] ?? 0
    }
    if (steps > VALUE_STEPS_MAX)
      return 'holds too much text for the patterns of its schema; send less'
  }
  return undefined
}

/** All texts in a value, and its names: `propertyNames` runs patterns on those. */
export function* textsOf(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield* Object.keys(value)
  for (const inner of Array.isArray(value) ? value : Object.values(value)) yield* textsOf(inner)
}

function bounded(schema: Json, slow: SlowPattern[]): Json {
  if (!isJsonObject(schema)) return schema
  const copy: { [keyword: string]: Json } = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, under(keyword, value, slow)]),
  )
  const { pattern, ...rest } = copy
  if (typeof pattern !== 'string') return copy
  const use = usable(pattern)
  if (use.kind === 'any-text') return copy
  slow.push(use)
  const maxLength = use.charsMax
  const held: JsonObject = Object.fromEntries([
    ['if', { maxLength }],
    ['then', { pattern }],
    ['else', { maxLength }],
  ])
  const others = Array.isArray(rest['allOf']) ? rest['allOf'] : []
  return { ...rest, allOf: [...others, held] }
}

function under(keyword: string, value: Json, slow: SlowPattern[]): Json {
  if (SCHEMA_KEYWORDS.has(keyword)) return bounded(value, slow)
  if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
    return value.map((inner: Json) => bounded(inner, slow))
  }
  if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(value)) return value
  if (keyword === 'patternProperties') {
    for (const name of Object.keys(value)) {
      if (usable(name).kind !== 'any-text') throw new RangeError('a name has no bound')
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, bounded(inner, slow)]),
  )
}

function usable(pattern: string): Exclude<PatternUse, { kind: 'refused' }> {
  const use = patternUse(pattern)
  if (use.kind === 'refused') throw new RangeError('a pattern has no bound')
  return use
}

/** As `maxLength` counts, for texts that can be short; a longer one is longer than any bound. */
function charsOf(text: string): number {
  return text.length > 1_000 ? text.length : [...text].length
}
