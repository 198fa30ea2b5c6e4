/**
 * Makes the plain form of a text: the text without its escapes, in which a secret is searched for.
 * Two spellings of one text have the same plain form. One pass resolves escapes of JSON,
 * JavaScript, HTML, XML, Markdown, URLs and forms, also inside each other. Ambiguous characters are
 * made equal: `+` is a space, a doubled quote is one quote, and backslashes and controls are left
 * out. A plain form is only compared, never shown.
 */
export type PlainForm = {
  readonly text: string
  /** Where each unit of `text` starts and ends in the original text. */
  readonly from: Int32Array
  readonly to: Int32Array
}

/** True if the plain form of `text` may differ from it in more than its quotes. */
export function mayEscape(text: string): boolean {
  return /[\\&%+]|""|''/.test(text)
}

/** Offset of units for non-ASCII UTF-8 bytes, so that %C3%BC, \u00fc and ü become equal. */
const BYTE = 0xe000
const BACKSLASH = 0x5c
const AMPERSAND = 0x26
const PERCENT = 0x25
const SEMICOLON = 0x3b
const SPACE = 0x20
const PLUS = 0x2b
const SMALL_U = 0x75
const SMALL_X = 0x78
/** Units of the longest reference: `&DiacriticalGrave;`, or one with leading zeros. */
const REFERENCE_UNITS_MAX = 18
/** UTF-8 bytes of one UTF-16 unit. */
const BYTES_PER_UNIT_MAX = 3
const LETTERS_OF_CONTROLS = new Set([...'bfnrtv0'].map((char) => char.charCodeAt(0)))

/** Named character references of HTML for ASCII, and for some common letters. */
const HTML_NAMES: ReadonlyMap<string, number> = new Map(
  (
    'Tab 9 NewLine 10 excl 33 quot 34 QUOT 34 num 35 dollar 36 percnt 37 amp 38 AMP 38 apos 39 ' +
    'lpar 40 rpar 41 ast 42 midast 42 plus 43 comma 44 period 46 sol 47 colon 58 semi 59 lt 60 ' +
    'LT 60 equals 61 gt 62 GT 62 quest 63 commat 64 lsqb 91 lbrack 91 bsol 92 rsqb 93 rbrack 93 ' +
    'Hat 94 lowbar 95 UnderBar 95 grave 96 DiacriticalGrave 96 lcub 123 lbrace 123 verbar 124 ' +
    'vert 124 VerticalLine 124 rcub 125 rbrace 125 nbsp 160 iexcl 161 pound 163 sect 167 ' +
    'copy 169 reg 174 deg 176 szlig 223 auml 228 ouml 246 uuml 252 Auml 196 Ouml 214 Uuml 220 ' +
    'eacute 233 egrave 232 euro 8364'
  )
    .match(/\w+ \d+/g)
    ?.map((pair) => {
      const [name = '', code] = pair.split(' ')
      return [name, Number(code)] as const
    }),
)

type Builder = {
  readonly out: Uint16Array
  readonly from: Int32Array
  readonly to: Int32Array
  length: number
}

/** Returns the plain form, with the position of each of its units in `text`. */
export function toPlainForm(text: string): PlainForm {
  const size = /[^\0-\x7f]/.test(text) ? text.length * BYTES_PER_UNIT_MAX : text.length
  const made: Builder = {
    out: new Uint16Array(size),
    from: new Int32Array(size),
    to: new Int32Array(size),
    length: 0,
  }
  for (let at = 0; at < text.length; at += 1) push(made, text.charCodeAt(at), at, at + 1)
  return finishForm(made)
}

/** Adds one unit of the text or of a resolved escape, and resolves an escape that it completes. */
function push(made: Builder, unit: number, from: number, to: number): void {
  if (unit < SPACE) return
  const last = readLast(made)
  // Only u and x start a longer escape; any other unit means itself or a control character.
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

function readLast({ length, out }: Builder): number {
  return length === 0 ? 0 : (out[length - 1] ?? 0)
}

/** Adds a unit after a backslash. */
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
  const before = readLast(made)
  if (unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff) {
    made.length -= 1
    const start = made.from[made.length] ?? from
    pushCode(made, (before - 0xd800) * 0x400 + unit - 0xdc00 + 0x10000, start, to)
  } else if (unit >= 0xd800 && unit <= 0xdfff) append(made, unit, from, to)
  else pushCode(made, unit, from, to)
}

/** Adds a non-ASCII character as its UTF-8 bytes. */
function pushCode(made: Builder, code: number, from: number, to: number): void {
  if (code > 0xffff) append(made, BYTE + (0xf0 | (code >> 18)), from, to)
  if (code > 0xffff) append(made, BYTE + (0x80 | ((code >> 12) & 0x3f)), from, to)
  else if (code > 0x7ff) append(made, BYTE + (0xe0 | (code >> 12)), from, to)
  if (code > 0x7ff) append(made, BYTE + (0x80 | ((code >> 6) & 0x3f)), from, to)
  else append(made, BYTE + (0xc0 | (code >> 6)), from, to)
  append(made, BYTE + (0x80 | (code & 0x3f)), from, to)
}

/** Replaces the last `units` units by the character `code`. */
function resolve(made: Builder, units: number, code: number, to: number): void {
  made.length -= units
  const from = made.from[made.length] ?? 0
  if (code > 0xffff) pushCode(made, code, from, to)
  else push(made, code, from, to)
}

/** Resolves `%3D`, `\x3d` or `\u003d` if the last unit completes it. */
function resolveHex(made: Builder, to: number): void {
  const { length, out } = made
  if (out[length - 3] === PERCENT) resolvePercent(made, to)
  else if (out[length - 3] === SMALL_X && out[length - 4] === BACKSLASH) resolveDigits(made, 2, to)
  else if (out[length - 5] === SMALL_U && out[length - 6] === BACKSLASH) resolveDigits(made, 4, to)
}

function resolvePercent(made: Builder, to: number): void {
  const value = readHex(made, 2)
  if (value > ASCII_MAX) {
    made.length -= 3
    append(made, BYTE + value, made.from[made.length] ?? 0, to)
  } else if (value >= 0) resolve(made, 3, value, to)
}

/** Resolves digits after a backslash and a letter. */
function resolveDigits(made: Builder, digits: number, to: number): void {
  const value = readHex(made, digits)
  if (value >= 0) resolve(made, digits + 2, value, to)
}

/** Returns the number in the last `digits` units; -1 if they are not all hexadecimal. */
function readHex({ length, out }: Builder, digits: number): number {
  let value = 0
  for (let at = length - digits; at < length; at += 1) {
    const unit = out[at] ?? 0
    if (!isHex(unit)) return -1
    value = value * 16 + Number.parseInt(String.fromCharCode(unit), 16)
  }
  return value
}

/** Resolves `&#61;`, `&#x3D;` or `&equals;` if the last unit completes it. */
function resolveReference(made: Builder, to: number): void {
  const { length, out } = made
  let at = length - 2
  while (at >= 0 && length - at <= REFERENCE_UNITS_MAX && isReferring(out[at] ?? 0)) at -= 1
  if (at < 0 || out[at] !== AMPERSAND) return
  const name = String.fromCharCode(...out.subarray(at + 1, length - 1))
  const code = findCode(name)
  if (code !== undefined && code <= 0x10ffff) resolve(made, length - at, code, to)
}

function findCode(name: string): number | undefined {
  if (/^#[xX][0-9a-fA-F]+$/.test(name)) return Number.parseInt(name.slice(2), 16)
  return /^#\d+$/.test(name) ? Number(name.slice(1)) : HTML_NAMES.get(name)
}

/** Also leaves out the backslashes that remain before `u` or `x`. */
function finishForm({ from, length, out, to }: Builder): PlainForm {
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

function isHex(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isWord(unit: number): boolean {
  return isDigit(unit) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
}

/** True for letters, digits and `#`, of which character references consist. */
function isReferring(unit: number): boolean {
  return isWord(unit) || unit === 0x23
}
