/** Parts of one schema: values of keywords, what may be null, and what one side does not see. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { objectOf, shortened, textsOf } from './fields.ts'
import { PARAMETER_DESCRIPTION_CHARS_MAX } from './limits.ts'
import { resolved } from './references.ts'
import { PLAIN_KEYWORDS } from './schema-keywords.ts'

/** Undefined for a keyword that tools do not keep, and for a value that it may not have. */
export function plainValue(
  keyword: string,
  value: Json,
  { hasDescriptions }: { readonly hasDescriptions: boolean },
): Json | undefined {
  const fits = Object.hasOwn(PLAIN_KEYWORDS, keyword) ? PLAIN_KEYWORDS[keyword] : undefined
  if (fits?.(value) !== true) return undefined
  if (keyword === 'required') return [...new Set(textsOf(value))]
  if (keyword !== 'description') return value
  if (!hasDescriptions || typeof value !== 'string') return undefined
  const text = shortened(value, PARAMETER_DESCRIPTION_CHARS_MAX)
  return text === '' ? undefined : text
}

/** `nullable` of 3.0 stays beside `allOf`, and `x-nullable` anywhere, when a document is upgraded. */
export function withNull(schema: JsonObject, result: JsonObject): JsonObject {
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true
  if (!isNullable || Object.keys(result).length === 0) return result
  const { enum: values, type } = result
  if (type === undefined) return { anyOf: [result, { type: 'null' }] }
  const types: readonly Json[] = Array.isArray(type) ? type : [type]
  if (types.includes('null')) return result
  const withValues = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...result, ...withValues, type: [...types, 'null'] }
}

/** Input has no `readOnly` properties, and output no `writeOnly` ones. */
export function withoutHidden(
  document: JsonObject,
  result: JsonObject,
  schema: JsonObject,
  side: 'input' | 'output',
): JsonObject {
  const { properties } = result
  if (!isJsonObject(properties)) return result
  const flag = side === 'input' ? 'readOnly' : 'writeOnly'
  const isHidden = (inner: Json | undefined) =>
    objectOf(inner)[flag] === true || resolved(document, inner)?.[flag] === true
  // Those that were written: of a schema that is too large, there are none.
  const all = objectOf(schema['properties'])
  const hidden = new Set(Object.keys(properties).filter((name) => isHidden(all[name])))
  if (hidden.size === 0) return result
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name))
  const required = textsOf(result['required']).filter((name) => !hidden.has(name))
  const still = result['required'] === undefined ? {} : { required }
  return { ...result, properties: Object.fromEntries(shown), ...still }
}

/** The short form of a schema that is too deep to keep. */
export function typeAlone(document: JsonObject, schema: JsonObject): JsonObject {
  const target = resolved(document, schema) ?? schema
  const { type } = target
  if (type !== undefined && PLAIN_KEYWORDS['type']?.(type) === true) return { type }
  return isJsonObject(target['properties']) ? { type: 'object' } : {}
}
