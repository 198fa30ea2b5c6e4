/**
 * Removes a call's secrets from an upstream's answer, in every spelling that a careless echo is
 * likely to use: plain or escaped (plain-form.ts), in hex, and in base64, also inside a longer
 * encoded text. A secret that was transformed in another way (hashed, reversed, cut in two) is not
 * found. `maskJson` masks the names, texts and numbers of a JSON value. Bound by docs/service.md,
 * Secrets.
 */
import { encodeBase64 } from '../json/base64.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { isRawNumber } from '../json/raw-number.ts'
import { mayEscape, type PlainForm, toPlainForm } from './plain-form.ts'

/** Replaces every secret in a text by `[secret NAME]`. */
export type Mask = (text: string) => string

/** The mask of a call without secrets. */
export const NO_MASK: Mask = (text) => text

/** One spelling of a secret to search for, as it is and in its plain form. */
type Spelling = {
  readonly name: string
  readonly text: string
  /** Undefined if the plain form is too short to search for. */
  readonly plain: string | undefined
  /** Units on either side that have further bits of the secret. */
  readonly beside: 0 | 1
}

/**
 * Makes the mask of secrets. A name may occur twice: basic authentication adds a second text for
 * its secret. `shown` returns the text that replaces the secret.
 */
export function makeMask(
  secrets: Iterable<readonly [name: string, value: string]>,
  shown: (name: string) => string = (name) => `[secret ${name}]`,
): Mask {
  const byText = new Map<string, Spelling>()
  for (const [name, value] of secrets) {
    for (const one of listSpellings(name, value)) byText.set(one.text, one)
  }
  if (byText.size === 0) return NO_MASK
  const all = [...byText.values()]
  return (text) => {
    const plain = mayEscape(text) ? toPlainForm(text) : undefined
    const found = all.flatMap((one) => findMatches(text, plain, one))
    return found.length === 0 ? text : replaceMatches(text, found, shown)
  }
}

type Match = { readonly from: number; readonly to: number; readonly name: string }

/**
 * Replaces the longest match first, so that a secret that contains another is masked completely.
 */
function replaceMatches(
  text: string,
  found: readonly Match[],
  shown: (name: string) => string,
): string {
  const sorted = [...found].sort((a, b) => a.from - b.from || b.to - a.to)
  let out = ''
  let at = 0
  let last = ''
  for (const { from, name, to } of sorted) {
    if (to <= at) continue
    // A match that overlaps the previous one is a part of a secret, too.
    if (from >= at) out += text.slice(at, from) + shown(name)
    else if (name !== last) out += shown(name)
    at = to
    last = name
  }
  return out + text.slice(at)
}

/** SECRET_CHARS_MIN of core/secrets: shorter secrets cannot be stored. */
const SPELLING_CHARS_MIN = 4
/** For a secret inside longer base64 text. Shorter spellings would match other texts by chance. */
const INNER_CHARS_MIN = 8

function listSpellings(name: string, value: string): readonly Spelling[] {
  const bytes = new TextEncoder().encode(value)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const padded = encodeBase64(bytes)
  const whole = [hex, hex.toUpperCase(), padded, toUrlSafe(padded), removePadding(padded)]
  // The value without backslashes is one spelling: an echo may drop them.
  const own = [value, value.replaceAll('\\', ''), escapeJson(value), escapeJson(escapeJson(value))]
  const encoded = [...own, ...whole, toUrlSafe(removePadding(padded))]
  const inner = [0, 1, 2]
    .map((before) => innerBase64(bytes, before))
    .filter((text) => text.length >= INNER_CHARS_MIN)
    .flatMap((text) => [text, toUrlSafe(text)])
  const all = [
    ...inner.map((text) => toSpelling(name, text, 1)),
    ...encoded.map((text) => toSpelling(name, text, 0)),
  ]
  return all.filter(({ text }) => text.length >= SPELLING_CHARS_MIN)
}

function toSpelling(name: string, text: string, beside: 0 | 1): Spelling {
  const plain = mayEscape(text) || /[^\x20-\x7e]/.test(text) ? toPlainForm(text).text : text
  const isEnough = plain.length >= SPELLING_CHARS_MIN
  return { name, text, plain: isEnough ? plain : undefined, beside }
}

/**
 * Escapes a text as JSON does. A secret of backslashes needs this, because its plain form is empty.
 */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Returns the characters that have only bits of these bytes, if `before` bytes are before them. */
function innerBase64(bytes: Uint8Array, before: number): string {
  const text = removePadding(encodeBase64(new Uint8Array([...new Uint8Array(before), ...bytes])))
  const bits = (before + bytes.length) * 8
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

function toUrlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

function removePadding(text: string): string {
  return text.replace(/=+$/, '')
}

function findMatches(
  text: string,
  plain: PlainForm | undefined,
  spelling: Spelling,
): readonly Match[] {
  const { beside, name } = spelling
  const own = findAll(text, spelling.text).map((from) => ({
    from,
    to: from + spelling.text.length,
  }))
  const escaped =
    plain === undefined || spelling.plain === undefined
      ? []
      : findAll(plain.text, spelling.plain).map((at) => ({
          from: plain.from[at] ?? 0,
          to: plain.to[at + (spelling.plain?.length ?? 0) - 1] ?? 0,
        }))
  return [...own, ...escaped].map(({ from, to }) => ({
    name,
    from: beside === 1 && BASE64.test(text.charAt(from - 1)) ? from - 1 : from,
    to: beside === 1 && BASE64.test(text.charAt(to)) ? to + 1 : to,
  }))
}

function findAll(text: string, part: string): readonly number[] {
  const indexes: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    indexes.push(at)
  }
  return indexes
}

/** Characters beside a match that may have the other bits of its first and last byte. */
const BASE64 = /[0-9A-Za-z+/_-]/

/** Masks a JSON value. Returns the same value if there is nothing to mask. */
export function maskJson(value: Json, mask: Mask): Json {
  if (mask === NO_MASK) return value
  const text = JSON.stringify(value)
  return mask(text) === text ? value : maskValue(value, mask)
}

function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value === 'number' || isRawNumber(value)) {
    const text = JSON.stringify(value)
    return mask(text) === text ? value : mask(text)
  }
  if (typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return value.map((item) => maskValue(item, mask))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [mask(name), maskValue(member, mask)]),
  )
}
