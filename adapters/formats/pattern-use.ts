/**
 * Whether the patterns of a schema that is already stored may be run. An older build took what is refused
 * today, and tools of users come without this build's leave. Other faults of a stored schema are let be:
 * its skill works as it did. Never runs a pattern.
 */
import type { FieldFault } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import { patternFault, patternUse } from './pattern-fault.ts'
import { findSchemaFaults, PATTERNS_MAX } from './schema-faults.ts'
import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.ts'

/** What these hold the validator never takes for a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum'])

/** `isBounded`: slow-patterns.ts looks there, so that slow patterns run on short texts alone. */
type Place = { readonly pointer: string; readonly isBounded: boolean }
type Pattern = Place & { readonly pattern: Json; readonly isName: boolean }

export function unsafePattern(schema: Json): FieldFault | undefined {
  const all = [...patternsIn(schema, { pointer: '', isBounded: true })]
  const unsafe = firstUnsafe(all.filter(({ isBounded }) => isBounded))
  if (unsafe !== undefined || !isJsonObject(schema)) return unsafe
  // In a schema that is not sound, references can lead to what else looks like a pattern.
  return findSchemaFaults(schema).length === 0 ? undefined : firstUnsafe(all)
}

function firstUnsafe(patterns: readonly Pattern[]): FieldFault | undefined {
  if (patterns.length > PATTERNS_MAX) {
    return { pointer: '', message: `holds over ${PATTERNS_MAX} patterns; leave some out` }
  }
  for (const one of patterns) {
    const message = faultOf(one)
    if (message !== undefined) return { pointer: one.pointer, message }
  }
  return undefined
}

function faultOf({ isBounded, isName, pattern }: Pattern): string | undefined {
  // The validator makes a text of what is none: a list of one pattern is that pattern.
  if (typeof pattern !== 'string') return 'must be a string'
  const use = patternUse(pattern)
  if (use.kind === 'refused') return patternFault(pattern)
  if (use.kind === 'any-text' || (isBounded && !isName)) return undefined
  return 'takes longer and longer on long texts; begin it with ^'
}

/** Wherever the validator could look: keywords of older drafts and unknown ones too. */
function* patternsIn(value: Json, place: Place): Generator<Pattern> {
  if (Array.isArray(value)) yield* eachIn([...value.entries()], place)
  if (!isJsonObject(value)) return
  for (const [keyword, inner] of Object.entries(value)) {
    const pointer = `${place.pointer}${jsonPointer([keyword])}`
    if (keyword === 'pattern' && (typeof inner === 'string' || Array.isArray(inner))) {
      yield { ...place, pointer, pattern: inner, isName: false }
    } else if (!DATA.has(keyword)) {
      yield* patternsUnder(keyword, inner, {
        pointer,
        isBounded: place.isBounded && isBoundedUnder(keyword),
      })
    }
  }
}

function* patternsUnder(keyword: string, value: Json, place: Place): Generator<Pattern> {
  const holdsNames = MAP_KEYWORDS.has(keyword) || keyword === 'dependencies'
  if (!isJsonObject(value) || !holdsNames) return yield* patternsIn(value, place)
  if (keyword === 'patternProperties') yield* namesIn(Object.keys(value), place)
  yield* eachIn(Object.entries(value), place)
}

function* namesIn(names: readonly string[], place: Place): Generator<Pattern> {
  for (const pattern of names) {
    const pointer = `${place.pointer}${jsonPointer([pattern])}`
    yield { ...place, pointer, pattern, isName: true }
  }
}

function* eachIn(
  entries: readonly (readonly [string | number, Json])[],
  place: Place,
): Generator<Pattern> {
  for (const [key, inner] of entries) {
    yield* patternsIn(inner, { ...place, pointer: `${place.pointer}${jsonPointer([key])}` })
  }
}

function isBoundedUnder(keyword: string): boolean {
  return SCHEMA_KEYWORDS.has(keyword) || LIST_KEYWORDS.has(keyword) || MAP_KEYWORDS.has(keyword)
}
