/**
 * The port `Schemas` over @cfworker/json-schema (interprets, so that no code is generated and
 * nothing is compiled at cold start). Never throws and never fetches; what the library cannot do
 * comes back as a fault.
 */
import { format, type OutputUnit, Validator } from '@cfworker/json-schema'
import type { FieldFault } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import type { Schemas } from '../../core/ports.ts'
import { decodePart, faultText, isWrapper } from './fault-text.ts'
import { SHORT_TEXT_CHARS } from './pattern-fault.ts'
import { unsafePattern } from './pattern-use.ts'
import { FAULTS_MAX, findSchemaFaults } from './schema-faults.ts'
import { type Bounded, boundPatterns, slowTextFault, textsOf } from './slow-patterns.ts'

/** Compiled schemas kept by their text, the least recently used dropped first. */
export const COMPILED_MAX = 256
/** `uniqueItems` compares all with all: 1,000 items are half a million comparisons. */
export const UNIQUE_ITEMS_MAX = 1000

type Compiled = {
  readonly plain: Checker
  readonly comparesItems: boolean
  readonly hasPatterns: boolean
  /** Judged before the schema is first used, for it may be older than the rules; null: none. */
  unsafe?: FieldFault | null
  /** Made with the first value that has text enough for a pattern to matter. */
  bounded?: Checker & Pick<Bounded, 'slow'>
}
type Checker = { readonly validator: Validator; readonly schema: Json }

// The library's `url` (no format of the standard) backtracks exponentially on 40 letters.
if (format['uri'] !== undefined) format['url'] = format['uri']

export function schemas(): Schemas {
  /** Records that stay in memory are found by identity, those that are read anew by their text. */
  const byIdentity = new WeakMap<JsonObject, Compiled>()
  const byText = new Map<string, Compiled>()
  const compiled = (schema: JsonObject): Compiled => {
    const known = byIdentity.get(schema) ?? recall(byText, JSON.stringify(schema))
    byIdentity.set(schema, known)
    return known
  }
  return {
    faults: (schema, value) => guarded(() => valueFaults(compiled(schema), value)),
    schemaFaults: (schema) => guarded(() => findSchemaFaults(schema)),
    unusable: (schema) => guarded(() => unsafeIn(compiled(schema)))[0],
  }
}

function recall(byText: Map<string, Compiled>, text: string): Compiled {
  const known = byText.get(text) ?? compile(text)
  byText.delete(text)
  byText.set(text, known)
  const [oldest] = byText.keys()
  if (byText.size > COMPILED_MAX && oldest !== undefined) byText.delete(oldest)
  return known
}

function compile(text: string): Compiled {
  return {
    plain: checker(text),
    comparesItems: text.includes('"uniqueItems":true'),
    hasPatterns: text.includes('"pattern'),
  }
}

/** From the text: the library writes marks into the schema that it is given, so it gets a copy. */
function checker(text: string): Checker {
  return { validator: new Validator(JSON.parse(text), '2020-12', false), schema: JSON.parse(text) }
}

function valueFaults(compiled: Compiled, value: Json): readonly FieldFault[] {
  if (compiled.comparesItems && hasLongArray(value)) {
    return [{ pointer: '', message: `must not hold over ${UNIQUE_ITEMS_MAX} items in one array` }]
  }
  if (!compiled.hasPatterns) return checkedBy(compiled.plain, value)
  const [unsafe] = unsafeIn(compiled)
  if (unsafe !== undefined) {
    const message = `cannot be checked: the schema of this skill at ${unsafe.pointer} ${unsafe.message}`
    return [{ pointer: '', message }]
  }
  if (hasLittleText(value)) return checkedBy(compiled.plain, value)
  compiled.bounded ??= boundedChecker(compiled.plain.schema)
  const tooMuch = slowTextFault(value, compiled.bounded.slow)
  return tooMuch === undefined
    ? checkedBy(compiled.bounded, value)
    : [{ pointer: '', message: tooMuch }]
}

function unsafeIn(compiled: Compiled): readonly FieldFault[] {
  if (!compiled.hasPatterns) return []
  if (compiled.unsafe === undefined) compiled.unsafe = unsafePattern(compiled.plain.schema) ?? null
  return compiled.unsafe === null ? [] : [compiled.unsafe]
}

function checkedBy({ schema, validator }: Checker, value: Json): readonly FieldFault[] {
  const { valid, errors } = validator.validate(value)
  if (valid) return []
  const telling = errors.filter((unit) => !isWrapper(unit))
  const shown = (telling.length > 0 ? telling : errors).slice(0, FAULTS_MAX)
  return unique(shown.map((unit) => fieldFault(unit, schema)))
}

/** So little that no pattern which was let in can take long: most calls need no bound. */
function hasLittleText(value: Json): boolean {
  let units = 0
  for (const text of textsOf(value)) {
    units += text.length
    if (units > SHORT_TEXT_CHARS) return false
  }
  return true
}

function boundedChecker(schema: Json): Checker & Pick<Bounded, 'slow'> {
  const { schema: copy, slow } = boundPatterns(schema)
  return { ...checker(JSON.stringify(copy)), slow }
}

function fieldFault(unit: OutputUnit, schema: Json): FieldFault {
  const parts = unit.instanceLocation.split('/').slice(1).map(decodePart)
  const missing = unit.keyword === 'required' ? /"(.*)"\.$/s.exec(unit.error)?.[1] : undefined
  return {
    pointer: jsonPointer(missing === undefined ? parts : [...parts, missing]),
    message: faultText(unit, schema),
  }
}

function unique(faults: readonly FieldFault[]): readonly FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.pointer}\n${fault.message}`, fault])).values()]
}

function hasLongArray(value: Json): boolean {
  if (Array.isArray(value)) return value.length > UNIQUE_ITEMS_MAX || value.some(hasLongArray)
  return isJsonObject(value) && Object.values(value).some(hasLongArray)
}

/**
 * The library throws on schemas that `schemaFaults` refuses (a stored one may be older than that
 * check), on names that no URI can hold, and on values with a hundred thousand faults.
 */
function guarded(check: () => readonly FieldFault[]): readonly FieldFault[] {
  try {
    return check()
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : 'unknown'
    return [{ pointer: '', message: `cannot be checked against the schema of this skill (${why})` }]
  }
}
