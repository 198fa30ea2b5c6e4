/**
 * The mark that an import writes into its skills (`import` of the definition): the import they belong to, and a
 * digest of each field as the import made it. A field with another digest was edited by hand. Skills of an
 * OpenAPI document name its prefix and their operation, skills of a set (ADR 0055) the set.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { objectOf } from './fields.ts'

export type FieldDigests = { readonly [field: string]: string }

export type ImportMark = {
  readonly prefix: string
  readonly operation: string
  readonly fields: FieldDigests
}

export type Hash = (text: string) => string

const DIGEST_CHARS = 12
/** Not compared: the fields that name the skill, and the mark itself. */
const OUTSIDE = new Set(['id', 'source', 'import'])

export function markOf(definition: JsonObject): ImportMark | undefined {
  const mark = objectOf(definition['import'])
  const { operation, prefix } = mark
  if (typeof operation !== 'string' || typeof prefix !== 'string') return undefined
  return { prefix, operation, fields: digestsIn(definition) }
}

/** The set that a skill is of. */
export function setOf(definition: JsonObject): string | undefined {
  const { set } = objectOf(definition['import'])
  return typeof set === 'string' ? set : undefined
}

/** Digests of the credentials that the skill's secrets are for, by the secrets' names. */
export function secretsIn(definition: JsonObject): { readonly [name: string]: string } {
  const secrets = Object.entries(objectOf(objectOf(definition['import'])['secrets']))
  return Object.fromEntries(
    secrets.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Digests by field, from the mark of any import; empty for a skill that no import made. */
export function digestsIn(definition: JsonObject): FieldDigests {
  const fields = Object.entries(objectOf(objectOf(definition['import'])['fields'])).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(fields)
}

export function withMark(
  definition: JsonObject,
  whose: JsonObject,
  fields: FieldDigests,
): JsonObject {
  return { ...definition, import: { ...whose, fields } }
}

/** `meta/name`, `config/endpoint`, `credits_per_call` … to their values. */
export function fieldsOf(definition: JsonObject): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>()
  for (const [name, value] of Object.entries(definition)) {
    if (OUTSIDE.has(name)) continue
    if ((name === 'meta' || name === 'config') && isJsonObject(value)) {
      for (const [inner, one] of Object.entries(value)) fields.set(`${name}/${inner}`, one)
    } else fields.set(name, value)
  }
  return fields
}

/** A definition with the fields in place of those that it had. */
export function withFields(definition: JsonObject, fields: ReadonlyMap<string, Json>): JsonObject {
  const meta: { [name: string]: Json } = {}
  const config: { [name: string]: Json } = {}
  const rest: { [name: string]: Json } = {}
  for (const [field, value] of fields) {
    if (field.startsWith('meta/')) meta[field.slice('meta/'.length)] = value
    else if (field.startsWith('config/')) config[field.slice('config/'.length)] = value
    else rest[field] = value
  }
  const { id = '', source = '' } = definition
  return { id, source, meta, config, ...rest }
}

export function digestsOf(
  fields: ReadonlyMap<string, Json>,
  hash: Hash,
): { readonly [field: string]: string } {
  return Object.fromEntries([...fields].map(([field, value]) => [field, digestOf(value, hash)]))
}

/** The order of members does not count, since a definition that was sent back may have another. */
export function digestOf(value: Json, hash: Hash): string {
  return hash(canonical(value)).slice(0, DIGEST_CHARS)
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join()}}`
}
