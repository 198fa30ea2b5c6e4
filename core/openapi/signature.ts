/** Writes a tool as a model and a person read a call of it: `sg_weather(city: string, days?: integer)`. */
import type { Json, JsonObject } from '../json/json.ts'
import { asObject, asTexts } from './fields.ts'

export function writeSignature(name: string, inputSchema: JsonObject): string {
  const required = new Set(asTexts(inputSchema['required']))
  const parameters = Object.entries(asObject(inputSchema['properties'])).map(
    ([parameter, schema]) =>
      `${parameter}${required.has(parameter) ? '' : '?'}: ${writeType(asObject(schema))}`,
  )
  return `${name}(${parameters.join(', ')})`
}

/** Returns the type of a schema as a short text. */
export function writeType(schema: JsonObject): string {
  const { enum: values, items, type } = schema
  if (Array.isArray(values)) return values.map((value: Json) => JSON.stringify(value)).join(' | ')
  if (type === 'array') return `${writeType(asObject(items))}[]`
  if (Array.isArray(type)) return asTexts(type).join(' | ')
  return typeof type === 'string' ? type : 'any'
}
