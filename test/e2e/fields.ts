/** Parsers for the twin's answers: tests read no field that they have not checked. */

export type Fields = { readonly [name: string]: unknown }

/** Throws for anything but the text of a JSON object. */
export function readJsonObject(text: string): Fields {
  return objectOf(JSON.parse(text), text)
}

/** The member `name` of `fields` as an object. */
export function fieldsOf(fields: Fields, name: string): Fields {
  return objectOf(fields[name], name)
}

export function stringOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw new Error(`${name} is no string: ${show(value)}`)
  return value
}

export function numberOf(fields: Fields, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number') throw new Error(`${name} is no number: ${show(value)}`)
  return value
}

function objectOf(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new Error(`no JSON object: ${name.slice(0, 200)}`)
}

function show(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200)
}
