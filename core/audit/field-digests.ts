/**
 * Digests of fields, under a key: equal values of one key have equal digests, and nobody without the key can try values.
 * Two rounds of sha256 with the key in each, as HMAC does it; 132 bits of the second are kept.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import type { Digests } from '../ports/outside.ts'
import type { FieldDigests } from './audit-record.ts'
import { AUDIT_FIELDS_MAX } from './limits.ts'

type Sha256 = Pick<Digests, 'sha256'>

/** `id` names the key and reveals nothing about it. */
export type DigestKey = { readonly id: string; readonly key: string }

const DIGEST_CHARS = 22
const KEY_ID_CHARS = 8

/** Keys and secrets: named in the trail, never digested. */
const WITHHELD: ReadonlySet<string> = new Set(['key', 'value'])
export const WITHHELD_DIGEST = 'withheld'
/** Stands for the fields past AUDIT_FIELDS_MAX. */
export const MORE_FIELDS = '(more)'

/** `secret`: the internal API secret that is valid now. */
export function digestKeyOf({ sha256 }: Sha256, secret: string): DigestKey {
  const key = sha256(`skillgate audit field digests\n${secret}`)
  return { key, id: sha256(`id of ${key}`).slice(0, KEY_ID_CHARS) }
}

/** Top-level fields; an object or array inside is one value, whatever the order of its members. */
export function fieldDigests(digests: Sha256, key: DigestKey, fields: JsonObject): FieldDigests {
  const names = Object.keys(fields).sort()
  const shown = names
    .slice(0, AUDIT_FIELDS_MAX)
    .map((name) => [
      name,
      WITHHELD.has(name)
        ? WITHHELD_DIGEST
        : digestOf(digests, key, canonical(fields[name] ?? null)),
    ])
  const rest = names.slice(AUDIT_FIELDS_MAX).map((name) => [name, fields[name] ?? null])
  const more = digestOf(digests, key, canonical(Object.fromEntries(rest)))
  return Object.fromEntries(rest.length === 0 ? shown : [...shown, [MORE_FIELDS, more]])
}

function digestOf({ sha256 }: Sha256, { key }: DigestKey, text: string): string {
  return sha256(`${key}\n${sha256(`${key}\n${text}`)}`).slice(0, DIGEST_CHARS)
}

/** JSON with the members of every object in order. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => canonical(one)).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`)
  return `{${members.join()}}`
}
