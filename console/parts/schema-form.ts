/**
 * The fields of a form for the arguments of a tool, made from its JSON Schema, and the arguments
 * from what was typed. A value that no simple field can have is typed as JSON. Rules such as
 * lengths and patterns are left to the gateway, which checks the arguments of each call.
 */
import type { FieldError } from '../api/field-error.ts'

export type FormField = {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly isRequired: boolean
  readonly kind: 'text' | 'number' | 'json' | 'choice'
  /** Of a choice: the JSON of each value, with its label. */
  readonly choices: readonly (readonly [json: string, label: string])[]
  /** What the field has at the start: text, or JSON in a field of JSON and in a choice. */
  readonly start: string
}

type Schema = { readonly [keyword: string]: unknown }

/** A name that no property has: one field for all arguments of a schema without properties. */
const ALL_ARGUMENTS = ''

/** Returns a field for each property, those that are required first. */
export function toFormFields(schema: unknown): readonly FormField[] {
  const { properties, required } = toObject(schema)
  const names = Array.isArray(required) ? required : []
  const entries = Object.entries(toObject(properties))
  if (entries.length === 0) {
    if (!needsArguments(schema)) return []
    return [toField(ALL_ARGUMENTS, { title: 'Arguments', type: 'object' }, false)]
  }
  const fields = entries.map(([name, one]) => toField(name, toObject(one), names.includes(name)))
  return [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)]
}

export type ReadArguments =
  | { readonly kind: 'ok'; readonly value: { readonly [name: string]: unknown } }
  | { readonly kind: 'faults'; readonly errors: readonly FieldError[] }

/** Reads what was typed. An empty field is left out of the arguments. */
export function readArguments(
  fields: readonly FormField[],
  typed: ReadonlyMap<string, string>,
): ReadArguments {
  const reads = fields.map((field) => ({
    field,
    read: readField(field, typed.get(field.name) ?? field.start),
  }))
  const errors = reads.flatMap(({ field: { label, name }, read }) =>
    'fault' in read ? [{ pointer: `/${name}`, message: `${label}: ${read.fault}.` }] : [],
  )
  if (errors.length > 0) return { kind: 'faults', errors }
  const entries = reads.flatMap(({ field: { name }, read }) =>
    'value' in read ? [[name, read.value] as const] : [],
  )
  const [first] = entries
  if (first?.[0] === ALL_ARGUMENTS) return readWhole(first[1])
  return { kind: 'ok', value: Object.fromEntries(entries) }
}

function readWhole(value: unknown): ReadArguments {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { kind: 'ok', value: { ...value } }
  }
  const message = 'Arguments: must be an object of JSON, such as {"city": "Oslo"}.'
  return { kind: 'faults', errors: [{ pointer: '', message }] }
}

type Read = { readonly value: unknown } | { readonly fault: string } | { readonly isEmpty: true }

function readField({ isRequired, kind }: FormField, text: string): Read {
  const isEmpty = kind === 'text' ? text === '' : text.trim() === ''
  if (isEmpty) return isRequired ? { fault: 'is required' } : { isEmpty }
  if (kind === 'text') return { value: text }
  if (kind === 'number') {
    const value = Number(text)
    return Number.isFinite(value) ? { value } : { fault: 'must be a number' }
  }
  try {
    const value: unknown = JSON.parse(text)
    return { value }
  } catch {
    return { fault: 'is no JSON; texts need double quotes' }
  }
}

function toField(name: string, schema: Schema, isRequired: boolean): FormField {
  const { default: otherwise, description, title } = schema
  const choices = listChoices(schema)
  const kind = choices.length > 0 ? 'choice' : findKind(schema)
  return {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    hint: typeof description === 'string' ? description : '',
    isRequired,
    kind,
    choices,
    start: toStart(kind, otherwise),
  }
}

function toStart(kind: FormField['kind'], otherwise: unknown): string {
  if (otherwise === undefined) return ''
  return kind === 'text' && typeof otherwise === 'string' ? otherwise : JSON.stringify(otherwise)
}

function listChoices(schema: Schema): FormField['choices'] {
  const { const: only, enum: listed } = schema
  const values = 'const' in schema ? [only] : Array.isArray(listed) ? listed : undefined
  if (values === undefined) {
    return listTypes(schema).join() === 'boolean'
      ? [
          ['true', 'yes'],
          ['false', 'no'],
        ]
      : []
  }
  return values.map((one) => {
    const json = JSON.stringify(one)
    return [json, typeof one === 'string' ? one : json]
  })
}

function findKind(schema: Schema): 'text' | 'number' | 'json' {
  const [type, ...others] = listTypes(schema)
  if (others.length > 0) return 'json'
  if (type === 'string') return 'text'
  return type === 'number' || type === 'integer' ? 'number' : 'json'
}

/** The types of the schema but null, which an empty field stands for. */
function listTypes({ type }: Schema): readonly unknown[] {
  return (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null')
}

/** False for a schema that admits no member at all. */
function needsArguments(schema: unknown): boolean {
  const { additionalProperties, ...keywords } = toObject(schema)
  if (additionalProperties !== undefined) return additionalProperties !== false
  return Object.keys(keywords).some((one) =>
    /^(?:\$ref|allOf|anyOf|oneOf|patternProperties)$/.test(one),
  )
}

function toObject(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
