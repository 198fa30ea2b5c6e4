/**
 * Removes a call's secrets from an upstream's answer, in every spelling that a careless echo is
 * likely to use: plain or escaped (secret-spellings.ts), and in hex and base64, also within a longer
 * text that was encoded. A secret that was transformed in another way (hashed, reversed, cut in
 * two) is not found. Bound by docs/service.md, Secrets.
 */
import { base64OfBytes } from './base64.ts'
import { type Found, findSpelled, mayEscape } from './secret-spellings.ts'

/** A text with every secret replaced by `[secret NAME]`. */
export type Mask = (text: string) => string

/** The mask of a call without secrets. */
export const NO_MASK: Mask = (text) => text

/** A text that is looked for. */
type Sought = {
  readonly name: string
  readonly text: string
  /**
   * The part that stands in each spelling as it is; undefined for the secret itself, of which each
   * character may be escaped.
   */
  readonly run: string | undefined
  /** Units beside it that hold the rest of its bits. */
  readonly beside: 0 | 1
}

/** A name may occur twice: basic auth adds a second spelling of its secret. `shown` takes its place. */
export function maskOf(
  secrets: Iterable<readonly [name: string, value: string]>,
  shown: (name: string) => string = (name) => `[secret ${name}]`,
): Mask {
  const byText = new Map<string, Sought>()
  for (const [name, value] of secrets) {
    for (const one of soughtFor(name, value)) byText.set(one.text, one)
  }
  if (byText.size === 0) return NO_MASK
  const all = [...byText.values()]
  return (text) => {
    const found = all.flatMap((one) =>
      placesOf(text, one).map((place) => ({ ...place, name: one.name })),
    )
    return found.length === 0 ? text : replaced(text, found, shown)
  }
}

type Named = Found & { readonly name: string }

/** Longest first: a secret that contains another is masked whole. */
function replaced(text: string, found: readonly Named[], shown: (name: string) => string): string {
  const sorted = [...found].sort((a, b) => a.from - b.from || b.to - a.to)
  let out = ''
  let at = 0
  let last = ''
  for (const { from, name, to } of sorted) {
    if (to <= at) continue
    // What overlaps the one before is a part of a secret, too.
    if (from >= at) out += text.slice(at, from) + shown(name)
    else if (name !== last) out += shown(name)
    at = to
    last = name
  }
  return out + text.slice(at)
}

/** SECRET_CHARS_MIN of core/secrets: shorter secrets cannot be stored. */
const SOUGHT_CHARS_MIN = 4
/** Of a secret within a longer text in base64: with fewer, other texts would match by chance. */
const INNER_CHARS_MIN = 8

function soughtFor(name: string, value: string): readonly Sought[] {
  const bytes = new TextEncoder().encode(value)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const padded = base64OfBytes(bytes)
  const whole = [hex, hex.toUpperCase(), padded, inUrls(padded), unpadded(padded)]
  const encoded = [...whole, inUrls(unpadded(padded))].map((text) => encodedText(name, text, 0))
  const inner = [0, 1, 2]
    .map((before) => innerBase64(bytes, before))
    .filter((text) => text.length >= INNER_CHARS_MIN)
    .flatMap((text) => [encodedText(name, text, 1), encodedText(name, inUrls(text), 1)])
  const all = [{ name, text: value, run: undefined, beside: 0 } as const, ...inner, ...encoded]
  return all.filter(({ text }) => text.length >= SOUGHT_CHARS_MIN)
}

function encodedText(name: string, text: string, beside: 0 | 1): Sought {
  const runs = text.match(/[0-9A-Za-z]+/g) ?? []
  const run = runs.reduce((longest, one) => (one.length > longest.length ? one : longest), '')
  return { name, text, run, beside }
}

/** The characters that hold bits of these bytes alone, with `before` bytes in front of them. */
function innerBase64(bytes: Uint8Array, before: number): string {
  const text = unpadded(base64OfBytes(new Uint8Array([...new Uint8Array(before), ...bytes])))
  const bits = (before + bytes.length) * 8
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

function inUrls(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

function unpadded(text: string): string {
  return text.replace(/=+$/, '')
}

function placesOf(text: string, sought: Sought): readonly Found[] {
  const { run } = sought
  if (run !== undefined && !text.includes(run)) return []
  const isPlain = run === sought.text || !mayEscape(text, sought.text)
  const places = isPlain ? plainPlaces(text, sought.text) : findSpelled(text, sought.text)
  return sought.beside === 0 ? places : places.map((place) => widened(text, place))
}

function plainPlaces(text: string, sought: string): readonly Found[] {
  const places: Found[] = []
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
    places.push({ from: at, to: at + sought.length })
  }
  return places
}

const BASE64 = /[0-9A-Za-z+/_-]/

/** The characters beside it hold the other bits of its first and last byte. */
function widened(text: string, { from, to }: Found): Found {
  const isBefore = from > 0 && BASE64.test(text.charAt(from - 1))
  const isAfter = BASE64.test(text.charAt(to))
  return { from: isBefore ? from - 1 : from, to: isAfter ? to + 1 : to }
}
