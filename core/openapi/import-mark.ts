/**
 * The mark that an import writes into its skills (`import` of the definition): the import, and a
 * digest of each field that the import wrote. A field with another digest was edited by hand. The
 * mark of an OpenAPI import has its prefix and the operation; the mark of a set (docs/design/skills.md#sets) has the
 * set's name.
 */
import { writeCanonical } from '../json/canonical-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asObject } from './fields.ts'

export type FieldDigests = { readonly [field: string]: string }

export type ImportMark = {
  readonly prefix: string
  readonly operation: string
  /** The part of the id that an administrator chose. */
  readonly name: string | undefined
  readonly fields: FieldDigests
}

export type Hash = (text: string) => string

const DIGEST_CHARS = 12
/** Fields that are not compared: the skill's identity, and the mark itself. */
const UNCOMPARED = new Set(['id', 'source', 'import'])

/** Reads the mark of an OpenAPI import; undefined for other skills. */
export function readImportMark(definition: JsonObject): ImportMark | undefined {
  const mark = asObject(definition['import'])
  const { name, operation, prefix } = mark
  if (typeof operation !== 'string' || typeof prefix !== 'string') return undefined
  const fields = readFieldDigests(definition)
  return { prefix, operation, name: typeof name === 'string' ? name : undefined, fields }
}

/** Returns the name of the skill's set; undefined for other skills. */
export function readSetName(definition: JsonObject): string | undefined {
  const { set } = asObject(definition['import'])
  return typeof set === 'string' ? set : undefined
}

/** Returns digests of the credentials of the skill's secrets, by the secrets' names. */
export function readSecretDigests(definition: JsonObject): { readonly [name: string]: string } {
  const secrets = Object.entries(asObject(asObject(definition['import'])['secrets']))
  return Object.fromEntries(
    secrets.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Returns the digests in a mark by field; empty for a skill that no import made. */
export function readFieldDigests(definition: JsonObject): FieldDigests {
  const fields = Object.entries(asObject(asObject(definition['import'])['fields'])).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(fields)
}

/** Adds a mark. `whose` has the members that name the import. */
export function withImportMark(
  definition: JsonObject,
  whose: JsonObject,
  fields: FieldDigests,
): JsonObject {
  return { ...definition, import: { ...whose, fields } }
}

/** Returns values by field: `meta/name`, `config/endpoint`, `credits_per_call` and so on. */
export function listFields(definition: JsonObject): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>()
  for (const [name, value] of Object.entries(definition)) {
    if (UNCOMPARED.has(name)) continue
    if ((name === 'meta' || name === 'config') && isJsonObject(value)) {
      for (const [inner, one] of Object.entries(value)) fields.set(`${name}/${inner}`, one)
    } else fields.set(name, value)
  }
  return fields
}

/** Replaces all compared fields of a definition. */
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

export function digestFields(
  fields: ReadonlyMap<string, Json>,
  hash: Hash,
): { readonly [field: string]: string } {
  return Object.fromEntries([...fields].map(([field, value]) => [field, digestValue(value, hash)]))
}

/** Ignores the order of members, because a definition that is sent back may have another order. */
export function digestValue(value: Json, hash: Hash): string {
  return hash(writeCanonical(value)).slice(0, DIGEST_CHARS)
}
