/**
 * Finds the part of an output schema that a client cannot compile. Official v1 clients compile the
 * output schemas of a whole list before they show any tool, so one bad schema hides all tools
 * (measured with SDK 1.32: Ajv, draft-07, `validateSchema: false`). Accepts less than JSON Schema
 * allows: no network, no `$id` below the root, no anchors, `$ref` by pointer only.
 */
import type { FieldFault } from '../errors.ts'
import { isDeeperThan } from '../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { atPointer, jsonPointer } from '../json/json-pointer.ts'
import { type Kind, kindOf, schemasUnder } from '../json/schema-keywords.ts'
import { PARAMETERS_DEPTH_MAX } from '../skills/limits.ts'

type Path = readonly (string | number)[]
type Check = (value: Json, at: Path, root: JsonObject) => FieldFault | undefined

/** A `$ref` into the same document. `%` is refused, because it would have to be decoded first. */
const LOCAL_REF = /^#(?:\/[^%]*)?$/
const NAMING: readonly string[] = ['$id', '$anchor', '$dynamicAnchor']
const TYPES: readonly unknown[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]

/** The first fault, its pointer from the root of the schema. */
export function outputSchemaFault(schema: JsonObject): FieldFault | undefined {
  if (isDeeperThan(schema, PARAMETERS_DEPTH_MAX)) {
    return fault([], `nests over ${PARAMETERS_DEPTH_MAX} levels; flatten it`)
  }
  return faultIn(schema, [], schema)
}

function faultIn(schema: Json, path: Path, root: JsonObject): FieldFault | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isJsonObject(schema)) return fault(path, 'must be a schema')
  for (const [keyword, value] of Object.entries(schema)) {
    const found = faultUnder(keyword, value, [...path, keyword], root)
    if (found !== undefined) return found
  }
  if (Object.hasOwn(schema, 'nullable') && !Object.hasOwn(schema, 'type')) {
    return fault([...path, 'nullable'], 'needs a type beside it')
  }
  return undefined
}

function faultUnder(
  keyword: string,
  value: Json,
  at: Path,
  root: JsonObject,
): FieldFault | undefined {
  const kind = kindOf(keyword)
  const own = kind === undefined ? faultOfNames(value, at) : CHECKS[kind](value, at, root)
  if (own !== undefined) return own
  return firstFault(schemasUnder(keyword, value), (schema, path) =>
    faultIn(schema, [...at, ...path], root),
  )
}

/** Each checks the value of a keyword. {@link faultUnder} walks the schemas inside that value. */
const CHECKS: { readonly [kind in Kind]: Check } = {
  schema: () => undefined,
  schemaOrSchemas: (value, at) => (Array.isArray(value) ? faultOfList(value, at) : undefined),
  schemas: faultOfList,
  schemaMap: faultOfMap,
  patternMap: (value, at) =>
    faultOfMap(value, at) ??
    Object.keys(Object(value))
      .map((pattern) => faultOfPattern(pattern, [...at, pattern]))
      .find((found) => found !== undefined),
  dependencies: faultOfDependencies,
  namesByName: faultOfNamesByName,
  ref: faultOfRef,
  pattern: faultOfPattern,
  type: (value, at) =>
    only(
      (Array.isArray(value) ? value : [value]).every((one) => TYPES.includes(one)),
      at,
      'type',
    ),
  names: (value, at) => only(isTexts(value), at, 'list of names'),
  choices: (value, at) =>
    only(Array.isArray(value) && value.length > 0, at, 'list that is not empty'),
  text: (value, at) => only(typeof value === 'string', at, 'text'),
  flag: (value, at) => only(typeof value === 'boolean', at, 'boolean'),
  truth: (value, at) => only(value === true, at, 'true'),
  number: (value, at) => only(Number.isFinite(value), at, 'number'),
  divisor: (value, at) => only(Number.isFinite(value), at, 'number'),
  count: (value, at) => only(Number.isSafeInteger(value) && Number(value) >= 0, at, 'count'),
  id: (value, at) =>
    at.length === 1
      ? only(typeof value === 'string', at, 'text')
      : fault(at, 'is below the root of the schema; leave it out'),
  data: () => undefined,
  anchor: faultOfDialect,
  dynamic: faultOfDialect,
  dialect: faultOfDialect,
}

function faultOfDialect(_value: Json, at: Path): FieldFault {
  return fault(at, 'is not accepted by all clients; leave it out')
}

/** Ajv looks for names even below keywords that it does not know. */
function faultOfNames(value: Json, at: Path): FieldFault | undefined {
  if (!isJsonObject(value)) return undefined
  const name = NAMING.find((keyword) => Object.hasOwn(value, keyword))
  if (name !== undefined)
    return fault([...at, name], 'is not accepted by all clients; leave it out')
  return firstFault(Object.entries(value), (item, key) => faultOfNames(item, [...at, key]))
}

function faultOfList(value: Json, at: Path): FieldFault | undefined {
  const isFilled = Array.isArray(value) && value.length > 0
  return isFilled ? undefined : fault(at, 'must be a list of schemas')
}

function faultOfMap(value: Json, at: Path): FieldFault | undefined {
  return isJsonObject(value) ? undefined : fault(at, 'must be an object of schemas')
}

/** A member that is not a list is a schema; {@link faultUnder} walks it. */
function faultOfDependencies(value: Json, at: Path): FieldFault | undefined {
  if (!isJsonObject(value)) return fault(at, 'must be an object')
  return firstFault(Object.entries(value), (item, name) =>
    Array.isArray(item) && !isTexts(item) ? fault([...at, name], 'must be a schema') : undefined,
  )
}

function faultOfNamesByName(value: Json, at: Path, root: JsonObject): FieldFault | undefined {
  if (!isJsonObject(value)) return fault(at, 'must be an object')
  return firstFault(Object.entries(value), (item, name) =>
    isTexts(item) ? undefined : faultIn(item, [...at, name], root),
  )
}

function firstFault<K>(
  entries: Iterable<readonly [K, Json]>,
  faultOf: (item: Json, key: K) => FieldFault | undefined,
): FieldFault | undefined {
  for (const [key, item] of entries) {
    const found = faultOf(item, key)
    if (found !== undefined) return found
  }
  return undefined
}

function faultOfRef(value: Json, at: Path, root: JsonObject): FieldFault | undefined {
  if (typeof value !== 'string' || !LOCAL_REF.test(value)) {
    return fault(at, 'must be a JSON Pointer into this schema, as #/$defs/a')
  }
  const target = atPointer(root, value.slice(1))
  if (typeof target === 'boolean' || isJsonObject(target)) return undefined
  return fault(at, 'leads to no schema; name one that is there')
}

/** Ajv compiles patterns with the flag `u`, which refuses more of them. */
function faultOfPattern(value: Json, at: Path): FieldFault | undefined {
  if (typeof value !== 'string') return fault(at, 'must be a text')
  try {
    new RegExp(value, 'u')
    return undefined
  } catch {
    // The words of the cause repeat the pattern, so they are left out.
    return fault(at, 'is not a regular expression (ECMAScript, flag u)')
  }
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function only(fits: boolean, at: Path, kind: string): FieldFault | undefined {
  return fits ? undefined : fault(at, `must be a JSON Schema ${kind}`)
}

function fault(path: Path, message: string): FieldFault {
  return { pointer: jsonPointer(path), message }
}
