/**
 * Takes the secrets of a call out of what an upstream sent back, in every spelling that a careless
 * echo is likely to use: as it is, base64 (with and without padding, both alphabets), percent-encoded,
 * form-encoded, JSON-escaped, hex. A transformed secret (hashed, reversed) is none any more.
 */

import { base64 } from './base64.ts'

/** A text with every secret replaced by `[secret NAME]`. */
export type Mask = (text: string) => string

export function maskOf(secrets: ReadonlyMap<string, string>): Mask {
  const spellings = [...secrets].flatMap(([name, value]) =>
    spellingsOf(value).map((spelling): readonly [string, string] => [spelling, name]),
  )
  if (spellings.length === 0) return (text) => text
  // Longest first: a secret that contains another is masked whole.
  spellings.sort(([a], [b]) => b.length - a.length)
  const nameOf = new Map(spellings)
  const pattern = new RegExp([...nameOf.keys()].map(escaped).join('|'), 'g')
  return (text) => text.replace(pattern, (found) => `[secret ${nameOf.get(found) ?? ''}]`)
}

/** `user:password` of basic auth travels as one base64 text, so pass that as a secret of its own. */
function spellingsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value)
  const padded = base64(value)
  const unpadded = padded.replace(/=+$/, '')
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const percent = encodeURIComponent(value.toWellFormed())
  const json = JSON.stringify(value).slice(1, -1)
  const all = [
    value,
    padded,
    unpadded,
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    percent,
    percent.replaceAll('%20', '+'),
    percent.toLowerCase(),
    json,
    json.replaceAll('/', '\\/'),
    hex,
    hex.toUpperCase(),
  ]
  return [...new Set(all)].filter((spelling) => spelling.length >= SPELLING_CHARS_MIN)
}

/** SECRET_CHARS_MIN of core/secrets: shorter ones are not stored. */
const SPELLING_CHARS_MIN = 4

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
