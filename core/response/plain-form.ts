/**
 * A text without its escapes, to look for a secret in: two spellings of one text have one plain
 * form. Escapes of JSON, JavaScript, HTML, XML, Markdown, URLs and forms are resolved, within each
 * other too, in one pass. What cannot be told apart is made alike: `+` is a space, a doubled quote
 * is one, backslashes and control characters are left out. It is a form to compare, never to show.
 */

import { isHex, isReferring, isWord } from '../json/units.ts'
import { HTML_NAMES } from './html-names.ts'

export type PlainForm = {
  readonly text: string
  /** Where the units of `text` begin and end in the original. */
  readonly from: Int32Array
  readonly to: Int32Array
}

/** True if the plain form of `text` may differ from it in more than its quotes. */
export function mayEscape(text: string): boolean {
  return /[\\&%+]|""|''/.test(text)
}

/** A byte of UTF-8 beyond ASCII, as a unit of its own: %C3%BC, \u00fc and ü become the same two. */
const BYTE = 0xe000
const BACKSLASH = 0x5c
const AMPERSAND = 0x26
const PERCENT = 0x25
const SEMICOLON = 0x3b
const SPACE = 0x20
const PLUS = 0x2b
const SMALL_U = 0x75
const SMALL_X = 0x78
/** The longest reference: `&DiacriticalGrave;`, or one with leading zeros. */
const REFERENCE_UNITS_MAX = 18
/** Of one unit of a text: three bytes of UTF-8. */
const BYTES_PER_UNIT_MAX = 3
const LETTERS_OF_CONTROLS = new Set([...'bfnrtv0'].map((char) => char.charCodeAt(0)))

type Builder = {
  readonly out: Uint16Array
  readonly from: Int32Array
  readonly to: Int32Array
  length: number
}

export function plainForm(text: string): PlainForm {
  const size = /[^\0-\x7f]/.test(text) ? text.length * BYTES_PER_UNIT_MAX : text.length
  const made: Builder = {
    out: new Uint16Array(size),
    from: new Int32Array(size),
    to: new Int32Array(size),
    length: 0,
  }
  for (let at = 0; at < text.length; at += 1) push(made, text.charCodeAt(at), at, at + 1)
  return finished(made)
}

/** Takes one unit of the text, or of what an escape stood for, and resolves an escape that it ends. */
function push(made: Builder, unit: number, from: number, to: number): void {
  if (unit < SPACE) return
  const last = lastOf(made)
  // Only u and x begin a longer escape; any other unit stands for itself or for a control.
  if (last === BACKSLASH && unit !== SMALL_U && unit !== SMALL_X) {
    pushEscaped(made, unit, from, to)
  } else if (unit > ASCII_MAX) {
    pushBytes(made, unit, from, to)
  } else if (unit !== last || (unit !== QUOTE && unit !== APOSTROPHE)) {
    pushAscii(made, unit, from, to)
  }
}

function pushAscii(made: Builder, unit: number, from: number, to: number): void {
  append(made, unit === PLUS ? SPACE : unit, from, to)
  if (unit === SEMICOLON) resolveReference(made, to)
  else if (isHex(unit)) resolveHex(made, to)
}

const ASCII_MAX = 0x7f
const QUOTE = 0x22
const APOSTROPHE = 0x27

function lastOf({ length, out }: Builder): number {
  return length === 0 ? 0 : (out[length - 1] ?? 0)
}

/** A unit behind a backslash. */
function pushEscaped(made: Builder, unit: number, from: number, to: number): void {
  if (unit === BACKSLASH) return
  const start = made.from[made.length - 1] ?? from
  made.length -= 1
  if (!LETTERS_OF_CONTROLS.has(unit)) push(made, unit, isWord(unit) ? from : start, to)
}

function append(made: Builder, unit: number, from: number, to: number): void {
  made.out[made.length] = unit
  made.from[made.length] = from
  made.to[made.length] = to
  made.length += 1
}

function pushBytes(made: Builder, unit: number, from: number, to: number): void {
  const before = lastOf(made)
  if (unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff) {
    made.length -= 1
    const start = made.from[made.length] ?? from
    pushCode(made, (before - 0xd800) * 0x400 + unit - 0xdc00 + 0x10000, start, to)
  } else if (unit >= 0xd800 && unit <= 0xdfff) append(made, unit, from, to)
  else pushCode(made, unit, from, to)
}

/** A character beyond ASCII, as its bytes. */
function pushCode(made: Builder, code: number, from: number, to: number): void {
  if (code > 0xffff) append(made, BYTE + (0xf0 | (code >> 18)), from, to)
  if (code > 0xffff) append(made, BYTE + (0x80 | ((code >> 12) & 0x3f)), from, to)
  else if (code > 0x7ff) append(made, BYTE + (0xe0 | (code >> 12)), from, to)
  if (code > 0x7ff) append(made, BYTE + (0x80 | ((code >> 6) & 0x3f)), from, to)
  else append(made, BYTE + (0xc0 | (code >> 6)), from, to)
  append(made, BYTE + (0x80 | (code & 0x3f)), from, to)
}

/** Puts `code` in the place of the last `units` units. */
function resolve(made: Builder, units: number, code: number, to: number): void {
  made.length -= units
  const from = made.from[made.length] ?? 0
  if (code > 0xffff) pushCode(made, code, from, to)
  else push(made, code, from, to)
}

/** `%3D`, `\x3d` or `\u003d` that has just ended. */
function resolveHex(made: Builder, to: number): void {
  const { length, out } = made
  if (out[length - 3] === PERCENT) resolvePercent(made, to)
  else if (out[length - 3] === SMALL_X && out[length - 4] === BACKSLASH) resolveDigits(made, 2, to)
  else if (out[length - 5] === SMALL_U && out[length - 6] === BACKSLASH) resolveDigits(made, 4, to)
}

function resolvePercent(made: Builder, to: number): void {
  const value = hexIn(made, 2)
  if (value > ASCII_MAX) {
    made.length -= 3
    append(made, BYTE + value, made.from[made.length] ?? 0, to)
  } else if (value >= 0) resolve(made, 3, value, to)
}

/** The digits stand behind a backslash and a letter. */
function resolveDigits(made: Builder, digits: number, to: number): void {
  const value = hexIn(made, digits)
  if (value >= 0) resolve(made, digits + 2, value, to)
}

/** The number in the last `digits` units; -1: not all of them are hexadecimal. */
function hexIn({ length, out }: Builder, digits: number): number {
  let value = 0
  for (let at = length - digits; at < length; at += 1) {
    const unit = out[at] ?? 0
    if (!isHex(unit)) return -1
    value = value * 16 + Number.parseInt(String.fromCharCode(unit), 16)
  }
  return value
}

/** `&#61;`, `&#x3D;` or `&equals;` that has just ended. */
function resolveReference(made: Builder, to: number): void {
  const { length, out } = made
  let at = length - 2
  while (at >= 0 && length - at <= REFERENCE_UNITS_MAX && isReferring(out[at] ?? 0)) at -= 1
  if (at < 0 || out[at] !== AMPERSAND) return
  const name = String.fromCharCode(...out.subarray(at + 1, length - 1))
  const code = codeOf(name)
  if (code !== undefined && code <= 0x10ffff) resolve(made, length - at, code, to)
}

function codeOf(name: string): number | undefined {
  if (/^#[xX][0-9a-fA-F]+$/.test(name)) return Number.parseInt(name.slice(2), 16)
  return /^#\d+$/.test(name) ? Number(name.slice(1)) : HTML_NAMES.get(name)
}

/** Backslashes that ended up before `u` or `x` are left out as the others are. */
function finished({ from, length, out, to }: Builder): PlainForm {
  let size = 0
  for (let at = 0; at < length; at += 1) {
    if (out[at] === BACKSLASH) continue
    out[size] = out[at] ?? 0
    from[size] = from[at] ?? 0
    to[size] = to[at] ?? 0
    size += 1
  }
  return { text: UTF16.decode(out.subarray(0, size)), from, to }
}

const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true })
