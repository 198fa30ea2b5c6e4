/**
 * Removes a call's secrets from an upstream's answer, in every spelling that a careless echo is
 * likely to use: plain, base64 (padded or not, both alphabets), percent- and form-encoded,
 * JSON-escaped (also twice, and in ASCII), HTML-escaped, hex. A secret that was transformed in
 * another way (hashed, reversed, cut in two) is not found. Bound by docs/service.md, Secrets.
 */
import { base64 } from './base64.ts'

/** A text with every secret replaced by `[secret NAME]`. */
export type Mask = (text: string) => string

/** The mask of a call without secrets. */
export const NO_MASK: Mask = (text) => text

/** A name may occur twice: basic auth adds a second spelling of its secret. `shown` takes its place. */
export function maskOf(
  secrets: Iterable<readonly [name: string, value: string]>,
  shown: (name: string) => string = (name) => `[secret ${name}]`,
): Mask {
  const nameOf = new Map<string, string>()
  for (const [name, value] of secrets) {
    for (const spelling of spellingsOf(value)) nameOf.set(spelling, name)
  }
  if (nameOf.size === 0) return NO_MASK
  // Longest first: a secret that contains another is masked whole.
  const spellings = [...nameOf.keys()].sort((a, b) => b.length - a.length)
  return (text) => {
    const found = spellings.filter((spelling) => text.includes(spelling))
    if (found.length === 0) return text
    const pattern = new RegExp(found.map(escaped).join('|'), 'g')
    return text.replace(pattern, (one) => shown(nameOf.get(one) ?? ''))
  }
}

/** Basic auth sends `user:password` as one base64 text; pass that as a pair of its own. */
function spellingsOf(value: string): readonly string[] {
  const json = inJson(value)
  const all = [
    value,
    ...base64Spellings(value),
    ...percentSpellings(value),
    json,
    inJson(json),
    json.replaceAll('/', '\\/'),
    ...asciiJson(value),
    ...htmlSpellings(value),
    ...hexSpellings(value),
  ]
  return all.filter((spelling) => spelling.length >= SPELLING_CHARS_MIN)
}

/** SECRET_CHARS_MIN of core/secrets: shorter secrets cannot be stored. */
const SPELLING_CHARS_MIN = 4

function base64Spellings(value: string): readonly string[] {
  const padded = base64(value)
  const safe = padded.replaceAll('+', '-').replaceAll('/', '_')
  return [padded, safe, ...[padded, safe].map((text) => text.replace(/=+$/, ''))]
}

/**
 * encodeURIComponent leaves !'()*~ alone, and a form writes a space as +; hex digits have two
 * cases.
 */
function percentSpellings(value: string): readonly string[] {
  const plain = encodeURIComponent(value.toWellFormed())
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const strict = plain.replace(/[!'()*~]/g, (char) => `%${hexOf(char.charCodeAt(0)).toUpperCase()}`)
  const upper = [plain, plain.replaceAll('%20', '+'), form, strict]
  const lower = upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()))
  return [...upper, ...lower]
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The escapes of Python, PHP and Java for non-ASCII, and of Go and Rails for HTML's characters. */
function asciiJson(value: string): readonly string[] {
  const escapeUnits = (text: string, units: RegExp) =>
    text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const json = inJson(value)
  const ascii = escapeUnits(json, /[^\x20-\x7e]/g)
  return [
    ascii,
    ascii.replaceAll('/', '\\/'),
    escapeUnits(json, /[<>&]/g),
    escapeUnits(ascii, /[<>&']/g),
  ]
}

function htmlSpellings(value: string): readonly string[] {
  const named: { readonly [char: string]: string } = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  }
  const text = value.replace(/[&<>]/g, (char) => named[char] ?? char)
  const quoted = value.replace(/[&<>"]/g, (char) => named[char] ?? char)
  const decimal = value.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  const python = quoted.replaceAll("'", '&#x27;')
  return [
    text,
    quoted,
    quoted.replaceAll("'", '&#39;'),
    quoted.replaceAll("'", '&#039;'),
    python,
    decimal,
  ]
}

function hexSpellings(value: string): readonly string[] {
  const hex = [...new TextEncoder().encode(value)].map(hexOf).join('')
  return [hex, hex.toUpperCase()]
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
