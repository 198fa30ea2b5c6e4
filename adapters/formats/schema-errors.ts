/**
 * Finds errors of a JSON Schema itself: keywords of the wrong shape, references that leave the
 * schema or are circular, invalid patterns. The validator would throw for some of these and accept
 * the rest. Nothing is fetched: a `$ref` names a place in the same schema.
 */
import type { FieldError } from '../../core/errors.ts'
import { isDeeperThan } from '../../core/json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { toJsonPointer } from '../../core/json/json-pointer.ts'
import { findValueKind, listInnerSchemas } from '../../core/json/schema-keywords.ts'
import { findPatternError, findPatternNotice } from './pattern-error.ts'
import { findKeywordError, findSchemaTypeError } from './schema-keywords.ts'
import { findReferenceErrors } from './schema-references.ts'
import { FIELD_ERRORS_MAX } from './schema-run.ts'

/** Levels of nesting: twice those of parameters (32), since a schema nests more than its values. */
export const SCHEMA_DEPTH_MAX = 64

/** Schemas in one schema, with itself: a document may be long, and each call walks it. */
export const SCHEMAS_MAX = 2_000
/** Patterns in one schema; each takes up to 5 ms to compile at its first use. */
export const PATTERNS_MAX = 64

/** At most FAULTS_MAX errors, each with a pointer into the schema. */
export function findSchemaErrors(schema: JsonObject): readonly FieldError[] {
  if (isDeeperThan(schema, SCHEMA_DEPTH_MAX)) {
    return [{ pointer: '', message: `nests over ${SCHEMA_DEPTH_MAX} levels; flatten it` }]
  }
  const found = new Map<string, Json>()
  const errors: FieldError[] = []
  const tooMany = findSizeError(schema)
  if (tooMany !== undefined) return [{ pointer: '', message: tooMany }]
  collectErrors(schema, '', found, errors)
  if (errors.length === 0) errors.push(...findReferenceErrors(found))
  return errors.slice(0, FIELD_ERRORS_MAX)
}

function findSizeError(schema: JsonObject): string | undefined {
  let schemas = 0
  let patterns = 0
  for (const inner of listSchemas(schema)) {
    schemas += 1
    patterns += countPatterns(inner)
    if (schemas > SCHEMAS_MAX) return `holds over ${SCHEMAS_MAX} schemas; simplify it`
    if (patterns > PATTERNS_MAX) return `holds over ${PATTERNS_MAX} patterns; leave some out`
  }
  return undefined
}

/** Lists a schema and all schemas in it. */
export function* listSchemas(schema: Json): Generator<Json> {
  yield schema
  if (!isJsonObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [, inner] of listInnerSchemas(keyword, value)) yield* listSchemas(inner)
  }
}

function countPatterns(schema: Json): number {
  if (!isJsonObject(schema)) return 0
  const named = schema['patternProperties']
  return (
    Number(Object.hasOwn(schema, 'pattern')) + (isJsonObject(named) ? Object.keys(named).length : 0)
  )
}

/** The patterns of a valid schema that are not checked, and why. */
export function findSchemaNotices(schema: Json, pointer = ''): readonly FieldError[] {
  if (!isJsonObject(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = `${pointer}${toJsonPointer([keyword])}`
    const notice =
      findValueKind(keyword) === 'pattern' ? findPatternNotice(String(value)) : undefined
    return [
      ...(notice === undefined ? [] : [{ pointer: at, message: notice }]),
      ...checkNames(keyword, value, at, findPatternNotice),
      ...listInnerSchemas(keyword, value).flatMap(([path, inner]) =>
        findSchemaNotices(inner, `${at}${toJsonPointer(path)}`),
      ),
    ]
  })
}

function collectErrors(
  schema: Json,
  pointer: string,
  found: Map<string, Json>,
  errors: FieldError[],
): void {
  found.set(pointer, schema)
  const wrong = findSchemaTypeError(schema)
  if (wrong !== undefined) errors.push({ pointer, message: wrong })
  if (!isJsonObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}${toJsonPointer([keyword])}`
    const message = findKeywordError(keyword, value) ?? findNestedIdError(keyword, pointer)
    if (message !== undefined) {
      errors.push({ pointer: at, message })
      continue
    }
    errors.push(...checkNames(keyword, value, at, findPatternError))
    for (const [path, inner] of listInnerSchemas(keyword, value)) {
      collectErrors(inner, `${at}${toJsonPointer(path)}`, found, errors)
    }
  }
}

/** Checks the names under `patternProperties`, which are regular expressions. */
function checkNames(
  keyword: string,
  value: Json,
  pointer: string,
  judge: (pattern: string) => string | undefined,
): readonly FieldError[] {
  if (findValueKind(keyword) !== 'patternMap' || !isJsonObject(value)) return []
  return Object.keys(value).flatMap((name) => {
    const message = judge(name)
    return message === undefined ? [] : [{ pointer: `${pointer}${toJsonPointer([name])}`, message }]
  })
}

/**
 * A nested `$id` is refused: a second base URI would change the meaning of the references below it.
 */
function findNestedIdError(keyword: string, pointer: string): string | undefined {
  return keyword === '$id' && pointer !== ''
    ? 'is supported at the root only; remove it'
    : undefined
}
