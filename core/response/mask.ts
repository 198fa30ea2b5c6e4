/**
 * Removes a call's secrets from an upstream's answer, in every spelling that a careless echo is
 * likely to use: plain or escaped (plain-form.ts), and in hex and base64, also within a longer
 * text that was encoded. A secret that was transformed in another way (hashed, reversed, cut in
 * two) is not found. Bound by docs/service.md, Secrets.
 * In a JSON value that is not a text alone, `maskJson` masks names, texts and numbers.
 */

import { base64OfBytes } from '../json/base64.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { isRawNumber } from '../json/raw-number.ts'
import { mayEscape, type PlainForm, plainForm } from './plain-form.ts'

/** A text with every secret replaced by `[secret NAME]`. */
export type Mask = (text: string) => string

/** The mask of a call without secrets. */
export const NO_MASK: Mask = (text) => text

/** A text that is looked for, as it is and by its plain form. */
type Sought = {
  readonly name: string
  readonly text: string
  /** Undefined where too little is left of it. */
  readonly plain: string | undefined
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
    const plain = mayEscape(text) ? plainForm(text) : undefined
    const found = all.flatMap((one) => placesOf(text, plain, one))
    return found.length === 0 ? text : replaced(text, found, shown)
  }
}

type Place = { readonly from: number; readonly to: number; readonly name: string }

/** Longest first: a secret that contains another is masked whole. */
function replaced(text: string, found: readonly Place[], shown: (name: string) => string): string {
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
  // An escaped backslash is left out before the letter behind it could make an escape of it.
  const own = [value, value.replaceAll('\\', ''), json(value), json(json(value))]
  const encoded = [...own, ...whole, inUrls(unpadded(padded))]
  const inner = [0, 1, 2]
    .map((before) => innerBase64(bytes, before))
    .filter((text) => text.length >= INNER_CHARS_MIN)
    .flatMap((text) => [text, inUrls(text)])
  const all = [
    ...inner.map((text) => soughtText(name, text, 1)),
    ...encoded.map((text) => soughtText(name, text, 0)),
  ]
  return all.filter(({ text }) => text.length >= SOUGHT_CHARS_MIN)
}

function soughtText(name: string, text: string, beside: 0 | 1): Sought {
  const plain = mayEscape(text) || /[^\x20-\x7e]/.test(text) ? plainForm(text).text : text
  const isEnough = plain.length >= SOUGHT_CHARS_MIN
  return { name, text, plain: isEnough ? plain : undefined, beside }
}

/** Beside the plain form, for a secret of backslashes, of which that leaves nothing. */
function json(text: string): string {
  return JSON.stringify(text).slice(1, -1)
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

function placesOf(text: string, plain: PlainForm | undefined, sought: Sought): readonly Place[] {
  const { beside, name } = sought
  const own = placesIn(text, sought.text).map((from) => ({ from, to: from + sought.text.length }))
  const escaped =
    plain === undefined || sought.plain === undefined
      ? []
      : placesIn(plain.text, sought.plain).map((at) => ({
          from: plain.from[at] ?? 0,
          to: plain.to[at + (sought.plain?.length ?? 0) - 1] ?? 0,
        }))
  const places = [...own, ...escaped]
  return places.map(({ from, to }) => ({
    name,
    from: beside === 1 && BASE64.test(text.charAt(from - 1)) ? from - 1 : from,
    to: beside === 1 && BASE64.test(text.charAt(to)) ? to + 1 : to,
  }))
}

function placesIn(text: string, sought: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) {
    places.push(at)
  }
  return places
}

/** The characters beside what was found hold the other bits of its first and last byte. */
const BASE64 = /[0-9A-Za-z+/_-]/

/** Returns the same value when there is nothing to mask. */
export function maskJson(value: Json, mask: Mask): Json {
  if (mask === NO_MASK) return value
  const text = JSON.stringify(value)
  return mask(text) === text ? value : masked(value, mask)
}

function masked(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value === 'number' || isRawNumber(value)) {
    const text = JSON.stringify(value)
    return mask(text) === text ? value : mask(text)
  }
  if (typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return value.map((item) => masked(item, mask))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [mask(name), masked(member, mask)]),
  )
}
