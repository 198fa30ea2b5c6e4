/** Writes a tool as a model and a person read a call of it: `sg_weather(city: string, days?: integer)`. */

/** A JSON Schema of anybody: its keywords may have any value. */
type Schema = { readonly [keyword: string]: unknown }

export function writeSignature(name: string, inputSchema: Schema): string {
  const { properties, required } = inputSchema
  const isRequired = (parameter: string) => Array.isArray(required) && required.includes(parameter)
  const parameters = Object.entries(toSchema(properties)).map(
    ([parameter, schema]) =>
      `${parameter}${isRequired(parameter) ? '' : '?'}: ${writeType(toSchema(schema))}`,
  )
  return `${name}(${parameters.join(', ')})`
}

/** Returns the type of a schema as a short text. */
export function writeType(schema: Schema): string {
  const { enum: values, items, type } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (type === 'array') return `${writeType(toSchema(items))}[]`
  if (Array.isArray(type)) return type.join(' | ')
  return typeof type === 'string' ? type : 'any'
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
