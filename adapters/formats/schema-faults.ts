/**
 * What is wrong with a JSON Schema itself: keywords of the wrong shape, references that lead out of
 * it or in circles, patterns that could run forever. The validator would throw on some of it and be
 * silent on the rest. Nothing is ever fetched: a `$ref` leads to a place in the same schema.
 */
import type { FieldFault } from '../../core/errors.ts'
import { isDeeperThan } from '../../core/json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import { patternFault } from './pattern-fault.ts'
import {
  keywordFault,
  LIST_KEYWORDS,
  MAP_KEYWORDS,
  SCHEMA_KEYWORDS,
  schemaFault,
} from './schema-keywords.ts'
import { referenceFaults } from './schema-references.ts'

/** Faults in one answer. */
export const FAULTS_MAX = 20
/** Nesting: what parameters may have (32), with room for what an older build has stored. */
export const SCHEMA_DEPTH_MAX = 64

export function findSchemaFaults(schema: JsonObject): readonly FieldFault[] {
  if (isDeeperThan(schema, SCHEMA_DEPTH_MAX)) {
    return [{ pointer: '', message: `nests over ${SCHEMA_DEPTH_MAX} levels; flatten it` }]
  }
  const found = new Map<string, Json>()
  const faults: FieldFault[] = []
  visit(schema, '', found, faults)
  if (faults.length === 0) faults.push(...referenceFaults(found))
  return faults.slice(0, FAULTS_MAX)
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
    faults.push(...nameFaults(keyword, value, at))
    for (const [path, inner] of subSchemas(keyword, value)) {
      visit(inner, `${at}${jsonPointer(path)}`, found, faults)
    }
  }
}

/** The names under patternProperties are regular expressions. */
function nameFaults(keyword: string, value: Json, pointer: string): readonly FieldFault[] {
  if (keyword !== 'patternProperties' || !isJsonObject(value)) return []
  return Object.keys(value).flatMap((name) => {
    const message = patternFault(name)
    return message === undefined ? [] : [{ pointer: `${pointer}${jsonPointer([name])}`, message }]
  })
}

/** A second base URI would change what the references below it mean. */
function nestedIdFault(keyword: string, pointer: string): string | undefined {
  return keyword === '$id' && pointer !== ''
    ? 'is supported at the root only; remove it'
    : undefined
}

/** The schemas under a keyword, with the path from the keyword to each. */
function subSchemas(
  keyword: string,
  value: Json,
): readonly (readonly [readonly (string | number)[], Json])[] {
  if (SCHEMA_KEYWORDS.has(keyword)) return [[[], value]]
  if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
    return [...value.entries()].map(([index, inner]) => [[index], inner])
  }
  if (MAP_KEYWORDS.has(keyword) && isJsonObject(value)) {
    return Object.entries(value).map(([name, inner]) => [[name], inner])
  }
  return []
}
