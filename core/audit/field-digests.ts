/**
 * Digests of fields under a key. Equal values have equal digests under one key, and nobody can try
 * values without the key. A digest is two rounds of sha256 with the key in each, like HMAC, cut to
 * 132 bits.
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

/** Fields that hold keys and secrets: the trail names them and never has a digest of them. */
const WITHHELD: ReadonlySet<string> = new Set(['key', 'link', 'value'])
export const WITHHELD_DIGEST = 'withheld'
/** The name under which the fields past AUDIT_FIELDS_MAX are digested together. */
export const MORE_FIELDS = '(more)'

/** Derives the key. `secret` is the internal API secret that is valid now. */
export function deriveDigestKey({ sha256 }: Sha256, secret: string): DigestKey {
  const key = sha256(`skillgate audit field digests\n${secret}`)
  return { key, id: sha256(`id of ${key}`).slice(0, KEY_ID_CHARS) }
}

/**
 * Digests the top-level fields. A nested object or array is one value, in any order of its members.
 */
export function digestFields(digests: Sha256, key: DigestKey, fields: JsonObject): FieldDigests {
  const names = Object.keys(fields).sort()
  const shown = names
    .slice(0, AUDIT_FIELDS_MAX)
    .map((name) => [
      name,
      WITHHELD.has(name)
        ? WITHHELD_DIGEST
        : digestText(digests, key, toCanonicalJson(fields[name] ?? null)),
    ])
  const rest = names.slice(AUDIT_FIELDS_MAX).map((name) => [name, fields[name] ?? null])
  const more = digestText(digests, key, toCanonicalJson(Object.fromEntries(rest)))
  return Object.fromEntries(rest.length === 0 ? shown : [...shown, [MORE_FIELDS, more]])
}

function digestText({ sha256 }: Sha256, { key }: DigestKey, text: string): string {
  return sha256(`${key}\n${sha256(`${key}\n${text}`)}`).slice(0, DIGEST_CHARS)
}

/** JSON with the members of every object in sorted order. */
function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => toCanonicalJson(one)).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name] ?? null)}`)
  return `{${members.join()}}`
}
