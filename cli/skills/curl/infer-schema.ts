/** Guesses the JSON Schema of a parameter from its value in an example. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { isVariable } from './secret-names.ts'

/** Characters of an example that a description shows. */
const SHOWN_CHARS_MAX = 80

/** The schema of a value in JSON. */
export function inferSchema(value: Json): JsonObject {
  if (value === null) return {}
  if (Array.isArray(value)) {
    const items: readonly Json[] = value
    const [first] = items
    return { type: 'array', ...(first === undefined ? {} : { items: inferSchema(first) }) }
  }
  if (isJsonObject(value)) {
    const properties = Object.entries(value).map(([name, item]) => [name, inferSchema(item)])
    return { type: 'object', properties: Object.fromEntries(properties) }
  }
  if (typeof value === 'number') {
    return { type: Number.isInteger(value) ? 'integer' : 'number', ...describeExample(value) }
  }
  if (typeof value === 'boolean') return { type: 'boolean' }
  return { type: 'string', ...describeExample(value) }
}

/** The schema of a text in a query or a form, which may stand for a number or a flag. */
export function inferTextSchema(text: string): JsonObject {
  if (/^(?:true|false)$/.test(text)) return { type: 'boolean' }
  const isNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?$/.test(text)
  return inferSchema(isNumber ? Number(text) : text)
}

function describeExample(value: Json): JsonObject {
  const text = String(value)
  if (text === '' || text.length > SHOWN_CHARS_MAX || isVariable(text) || /[\p{Cc}{}]/u.test(text))
    return {}
  return { description: `Such as ${text}` }
}

/** The schema of an argument that is a file. */
export const FILE_SCHEMA: JsonObject = {
  type: 'object',
  description: 'A file: its content as base64, and its name.',
  properties: { base64: { type: 'string' }, filename: { type: 'string' } },
  required: ['base64'],
}
