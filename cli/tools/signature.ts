/** Formats a tool as a person writes a call of it: `sg_weather(city: string)`. */
import type { Fields } from '../gateway/admin-client.ts'
import { toFields } from '../gateway/admin-client.ts'
import type { Tool } from '../gateway/mcp-client.ts'

export function formatSignature({ inputSchema, name }: Tool): string {
  const required: readonly unknown[] = Array.isArray(inputSchema['required'])
    ? inputSchema['required']
    : []
  const parameters = Object.entries(toFields(inputSchema['properties'])).map(
    ([parameter, schema]) =>
      `${parameter}${required.includes(parameter) ? '' : '?'}: ${formatType(toFields(schema))}`,
  )
  return `${name}(${parameters.join(', ')})`
}

/** Returns the type of a schema as a short text. */
export function formatType(schema: Fields): string {
  const { enum: values, items, type } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (type === 'array') return `${formatType(toFields(items))}[]`
  if (Array.isArray(type)) return type.join(' | ')
  return typeof type === 'string' ? type : 'any'
}
