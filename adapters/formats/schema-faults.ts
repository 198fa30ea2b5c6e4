/**
 * What is wrong with a JSON Schema itself: keywords of the wrong shape, references that lead out of
 * it or in circles, patterns that are none. The validator would throw on some of it and be
 * silent on the rest. Nothing is ever fetched: a `$ref` leads to a place in the same schema.
 */
import type { FieldFault } from '../../core/errors.ts'
import { isDeeperThan } from '../../core/json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import { kindOf, schemasUnder } from '../../core/json/schema-keywords.ts'
import { patternFault, patternNotice } from './pattern-fault.ts'
import { keywordFault, schemaFault } from './schema-keywords.ts'
import { referenceFaults } from './schema-references.ts'
import { FAULTS_MAX } from './schema-run.ts'

/** Nesting: what parameters may have (32), with room for schemas that hold others. */
export const SCHEMA_DEPTH_MAX = 64

/** Schemas in one schema, itself included: a document may be long, and each call walks it. */
export const SCHEMAS_MAX = 2_000
/** Each is compiled when it first meets a text: up to 5 ms. */
export const PATTERNS_MAX = 64

export function findSchemaFaults(schema: JsonObject): readonly FieldFault[] {
  if (isDeeperThan(schema, SCHEMA_DEPTH_MAX)) {
    return [{ pointer: '', message: `nests over ${SCHEMA_DEPTH_MAX} levels; flatten it` }]
  }
  const found = new Map<string, Json>()
  const faults: FieldFault[] = []
  const crowd = crowdFault(schema)
  if (crowd !== undefined) return [{ pointer: '', message: crowd }]
  visit(schema, '', found, faults)
  if (faults.length === 0) faults.push(...referenceFaults(found))
  return faults.slice(0, FAULTS_MAX)
}

function crowdFault(schema: JsonObject): string | undefined {
  let schemas = 0
  let patterns = 0
  for (const inner of schemasIn(schema)) {
    schemas += 1
    patterns += patternsOf(inner)
    if (schemas > SCHEMAS_MAX) return `holds over ${SCHEMAS_MAX} schemas; simplify it`
    if (patterns > PATTERNS_MAX) return `holds over ${PATTERNS_MAX} patterns; leave some out`
  }
  return undefined
}

/** Faults of a schema and of everything in it; a value that is no schema is a fault, too. */
export function* schemasIn(schema: Json): Generator<Json> {
  yield schema
  if (!isJsonObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [, inner] of schemasUnder(keyword, value)) yield* schemasIn(inner)
  }
}

function patternsOf(schema: Json): number {
  if (!isJsonObject(schema)) return 0
  const named = schema['patternProperties']
  return (
    Number(Object.hasOwn(schema, 'pattern')) + (isJsonObject(named) ? Object.keys(named).length : 0)
  )
}

/** The patterns of a schema without faults that are not checked, and why. */
export function findSchemaNotices(schema: Json, pointer = ''): readonly FieldFault[] {
  if (!isJsonObject(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = `${pointer}${jsonPointer([keyword])}`
    const notice = kindOf(keyword) === 'pattern' ? patternNotice(String(value)) : undefined
    return [
      ...(notice === undefined ? [] : [{ pointer: at, message: notice }]),
      ...onNames(keyword, value, at, patternNotice),
      ...schemasUnder(keyword, value).flatMap(([path, inner]) =>
        findSchemaNotices(inner, `${at}${jsonPointer(path)}`),
      ),
    ]
  })
}

function visit(
  schema: Json,
  pointer: string,
  found: Map<string, Json>,
  faults: FieldFault[],
): void {
  found.set(pointer, schema)
  const wrong = schemaFault(schema)
  if (wrong !== undefined) faults.push({ pointer, message: wrong })
  if (!isJsonObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}${jsonPointer([keyword])}`
    const message = keywordFault(keyword, value) ?? nestedIdFault(keyword, pointer)
    if (message !== undefined) {
      faults.push({ pointer: at, message })
      continue
    }
    faults.push(...onNames(keyword, value, at, patternFault))
    for (const [path, inner] of schemasUnder(keyword, value)) {
      visit(inner, `${at}${jsonPointer(path)}`, found, faults)
    }
  }
}

/** The names under patternProperties are regular expressions. */
function onNames(
  keyword: string,
  value: Json,
  pointer: string,
  judge: (pattern: string) => string | undefined,
): readonly FieldFault[] {
  if (kindOf(keyword) !== 'patternMap' || !isJsonObject(value)) return []
  return Object.keys(value).flatMap((name) => {
    const message = judge(name)
    return message === undefined ? [] : [{ pointer: `${pointer}${jsonPointer([name])}`, message }]
  })
}

/** A second base URI would change what the references below it mean. */
function nestedIdFault(keyword: string, pointer: string): string | undefined {
  return keyword === '$id' && pointer !== ''
    ? 'is supported at the root only; remove it'
    : undefined
}
