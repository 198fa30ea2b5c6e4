/**
 * Finds the part of an output schema that a client cannot compile. Official v1 clients compile the
 * output schemas of a whole list before they show any tool, so one bad schema hides all tools
 * (measured with SDK 1.32: Ajv, draft-07, `validateSchema: false`). Accepts less than JSON Schema
 * allows: no network, no `$id` below the root, no anchors, `$ref` by pointer only.
 */
import type { FieldError } from '../errors.ts'
import { isDeeperThan } from '../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { readPointer, toJsonPointer } from '../json/json-pointer.ts'
import { findValueKind, listInnerSchemas, type ValueKind } from '../json/schema-keywords.ts'
import { PARAMETERS_DEPTH_MAX } from '../skills/limits.ts'

type Path = readonly (string | number)[]
type Check = (value: Json, at: Path, root: JsonObject) => FieldError | undefined

/** A `$ref` into the same schema. `%` is refused, because it would need decoding. */
const LOCAL_REF = /^#(?:\/[^%]*)?$/
const NAMING_KEYWORDS: readonly string[] = ['$id', '$anchor', '$dynamicAnchor']
const TYPES: readonly unknown[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]

/** Returns the first error; its pointer starts at the root of the schema. */
export function checkOutputSchemaForClients(schema: JsonObject): FieldError | undefined {
  if (isDeeperThan(schema, PARAMETERS_DEPTH_MAX)) {
    return toFieldError([], `nests over ${PARAMETERS_DEPTH_MAX} levels; flatten it`)
  }
  return checkSchema(schema, [], schema)
}

function checkSchema(schema: Json, path: Path, root: JsonObject): FieldError | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isJsonObject(schema)) return toFieldError(path, 'must be a schema')
  for (const [keyword, value] of Object.entries(schema)) {
    const found = checkKeyword(keyword, value, [...path, keyword], root)
    if (found !== undefined) return found
  }
  if (Object.hasOwn(schema, 'nullable') && !Object.hasOwn(schema, 'type')) {
    return toFieldError([...path, 'nullable'], 'needs a type beside it')
  }
  return undefined
}

function checkKeyword(
  keyword: string,
  value: Json,
  at: Path,
  root: JsonObject,
): FieldError | undefined {
  const kind = findValueKind(keyword)
  const own = kind === undefined ? checkNames(value, at) : CHECKS[kind](value, at, root)
  if (own !== undefined) return own
  return findFirstError(listInnerSchemas(keyword, value), (schema, path) =>
    checkSchema(schema, [...at, ...path], root),
  )
}

/** Checks of keyword values. {@link checkKeyword} walks the schemas inside a value. */
const CHECKS: { readonly [kind in ValueKind]: Check } = {
  schema: () => undefined,
  schemaOrSchemas: (value, at) => (Array.isArray(value) ? checkList(value, at) : undefined),
  schemas: checkList,
  schemaMap: checkMap,
  patternMap: (value, at) =>
    checkMap(value, at) ??
    Object.keys(Object(value))
      .map((pattern) => checkPattern(pattern, [...at, pattern]))
      .find((found) => found !== undefined),
  dependencies: checkDependencies,
  namesByName: checkNamesByName,
  ref: checkRef,
  pattern: checkPattern,
  type: (value, at) =>
    requireKind(
      (Array.isArray(value) ? value : [value]).every((one) => TYPES.includes(one)),
      at,
      'type',
    ),
  names: (value, at) => requireKind(isTexts(value), at, 'list of names'),
  choices: (value, at) =>
    requireKind(Array.isArray(value) && value.length > 0, at, 'list that is not empty'),
  text: (value, at) => requireKind(typeof value === 'string', at, 'text'),
  flag: (value, at) => requireKind(typeof value === 'boolean', at, 'boolean'),
  truth: (value, at) => requireKind(value === true, at, 'true'),
  number: (value, at) => requireKind(Number.isFinite(value), at, 'number'),
  divisor: (value, at) => requireKind(Number.isFinite(value), at, 'number'),
  count: (value, at) => requireKind(Number.isSafeInteger(value) && Number(value) >= 0, at, 'count'),
  id: (value, at) =>
    at.length === 1
      ? requireKind(typeof value === 'string', at, 'text')
      : toFieldError(at, 'is below the root of the schema; leave it out'),
  data: () => undefined,
  anchor: refuseDialect,
  dynamic: refuseDialect,
  dialect: refuseDialect,
}

function refuseDialect(_value: Json, at: Path): FieldError {
  return toFieldError(at, 'is not accepted by all clients; leave it out')
}

/** Refuses names below unknown keywords, too, because Ajv also finds them there. */
function checkNames(value: Json, at: Path): FieldError | undefined {
  if (!isJsonObject(value)) return undefined
  const name = NAMING_KEYWORDS.find((keyword) => Object.hasOwn(value, keyword))
  if (name !== undefined)
    return toFieldError([...at, name], 'is not accepted by all clients; leave it out')
  return findFirstError(Object.entries(value), (item, key) => checkNames(item, [...at, key]))
}

function checkList(value: Json, at: Path): FieldError | undefined {
  const isFilled = Array.isArray(value) && value.length > 0
  return isFilled ? undefined : toFieldError(at, 'must be a list of schemas')
}

function checkMap(value: Json, at: Path): FieldError | undefined {
  return isJsonObject(value) ? undefined : toFieldError(at, 'must be an object of schemas')
}

/** A member that is not a list is a schema, which {@link checkKeyword} walks. */
function checkDependencies(value: Json, at: Path): FieldError | undefined {
  if (!isJsonObject(value)) return toFieldError(at, 'must be an object')
  return findFirstError(Object.entries(value), (item, name) =>
    Array.isArray(item) && !isTexts(item)
      ? toFieldError([...at, name], 'must be a schema')
      : undefined,
  )
}

function checkNamesByName(value: Json, at: Path, root: JsonObject): FieldError | undefined {
  if (!isJsonObject(value)) return toFieldError(at, 'must be an object')
  return findFirstError(Object.entries(value), (item, name) =>
    isTexts(item) ? undefined : checkSchema(item, [...at, name], root),
  )
}

function findFirstError<K>(
  entries: Iterable<readonly [K, Json]>,
  check: (item: Json, key: K) => FieldError | undefined,
): FieldError | undefined {
  for (const [key, item] of entries) {
    const found = check(item, key)
    if (found !== undefined) return found
  }
  return undefined
}

function checkRef(value: Json, at: Path, root: JsonObject): FieldError | undefined {
  if (typeof value !== 'string' || !LOCAL_REF.test(value)) {
    return toFieldError(at, 'must be a JSON Pointer into this schema, as #/$defs/a')
  }
  const target = readPointer(root, value.slice(1))
  if (typeof target === 'boolean' || isJsonObject(target)) return undefined
  return toFieldError(at, 'leads to no schema; name one that is there')
}

/** Ajv compiles patterns with the flag `u`, which refuses more patterns. */
function checkPattern(value: Json, at: Path): FieldError | undefined {
  if (typeof value !== 'string') return toFieldError(at, 'must be a text')
  try {
    new RegExp(value, 'u')
    return undefined
  } catch {
    // The message of the cause repeats the pattern, so it is left out.
    return toFieldError(at, 'is not a regular expression (ECMAScript, flag u)')
  }
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function requireKind(fits: boolean, at: Path, kind: string): FieldError | undefined {
  return fits ? undefined : toFieldError(at, `must be a JSON Schema ${kind}`)
}

function toFieldError(path: Path, message: string): FieldError {
  return { pointer: toJsonPointer(path), message }
}
