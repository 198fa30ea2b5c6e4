/**
 * Finds a text in another one, each character in any of its spellings: as it is, or escaped for
 * JSON, JavaScript, HTML, XML, Markdown, CSV, a URL or a form, in either case of hexadecimal digits
 * and also escaped twice. Whole numeric references count, so no list of any template engine's
 * habits is needed. Steps are bounded: a character has few spellings, and none is longer than
 * {@link SPELLING_UNITS_MAX}.
 */

/** UTF-16 units of one character's longest spelling that is found: four bytes, each `%2525F0`. */
export const SPELLING_UNITS_MAX = 28
/** A backslash before each backslash, three times over. */
const BACKSLASHES_MAX = 8
/** Zeros may lead a numeric reference. */
const REFERENCE_UNITS_MAX = 10
/** Escapes within escapes: `&amp;#x3D;`, `\u0026quot;`, `%2526`. */
const DEPTH = 2

export type Found = { readonly from: number; readonly to: number }

/** All places of `sought` in `text`, in their order and without overlap. */
export function findSpelled(text: string, sought: string): readonly Found[] {
  const chars = [...sought]
  const [first = ''] = chars
  const starts = new RegExp(`[${[...startsOf(first)].map(inClass).join('')}]`, 'g')
  const found: Found[] = []
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const to = endOf(text, start.index, chars)
    if (to < 0) continue
    found.push({ from: start.index, to })
    starts.lastIndex = to
  }
  return found
}

/** True if `text` may hold a spelling of any character that is not the character itself. */
export function mayEscape(text: string, sought: string): boolean {
  return /[\\&%]|""|''/.test(text) || (sought.includes(' ') && text.includes('+'))
}

/** UTF-16 units with which a spelling of the character begins. */
function startsOf(char: string): ReadonlySet<string> {
  return new Set([char.charAt(0), '\\', '&', '%', ...(char === ' ' ? ['+'] : [])])
}

function inClass(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The end of the longest spelling that begins at `from`; -1: none. */
function endOf(text: string, from: number, chars: readonly string[]): number {
  let ends: readonly number[] = [from]
  for (const char of chars) {
    const next = new Set<number>()
    for (const at of ends) addEnds(next, text, at, char, DEPTH)
    if (next.size === 0) return -1
    ends = [...next]
  }
  return Math.max(...ends)
}

/** Adds the end of each spelling of `char` at `at`. */
function addEnds(ends: Set<number>, text: string, at: number, char: string, depth: number): void {
  if (text.startsWith(char, at)) {
    ends.add(at + char.length)
    // Within quotes of CSV, SQL and YAML a quote is doubled.
    if ((char === '"' || char === "'") && text[at + 1] === char) ends.add(at + 2)
  }
  if (char === ' ' && text[at] === '+') ends.add(at + 1)
  if (depth === 0) return
  const code = char.codePointAt(0) ?? 0
  for (const intro of introEnds(text, at, '\\', depth)) addBackslashed(ends, text, intro, char)
  for (const intro of introEnds(text, at, '&', depth)) addReferenced(ends, text, intro, code)
  for (const end of percentEnds(text, at, char, depth)) ends.add(end)
}

/** Behind the character that begins an escape, itself in a spelling of one level less. */
function introEnds(text: string, at: number, intro: string, depth: number): Iterable<number> {
  const unit = text[at]
  if (unit !== '\\' && unit !== '&' && unit !== '%') return []
  const ends = new Set<number>()
  addEnds(ends, text, at, intro, depth - 1)
  return ends
}

const CONTROLS: { readonly [char: string]: string } = {
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\0': '0',
}

/** `from` is behind one backslash. */
function addBackslashed(ends: Set<number>, text: string, from: number, char: string): void {
  let at = from
  while (text[at] === '\\' && at - from < BACKSLASHES_MAX) {
    if (char === '\\') ends.add(at + 1)
    at += 1
  }
  // Only punctuation is escaped by a backslash alone; before a letter it means another character.
  if (!/[\p{L}\p{N}]/u.test(char) && text.startsWith(char, at)) ends.add(at + char.length)
  const control = CONTROLS[char]
  if (control !== undefined && text[at] === control) ends.add(at + 1)
  const end = unitsEnd(text, at, char)
  if (end >= 0) ends.add(end)
}

/** `u003d`, `u{3d}`, `x3d`; two of them for a character of two units. -1: neither. */
function unitsEnd(text: string, from: number, char: string): number {
  let at = from
  for (let nth = 0; nth < char.length; nth += 1) {
    if (nth > 0) {
      const before = at
      while (text[at] === '\\' && at - before < BACKSLASHES_MAX) at += 1
    }
    const hex = char.charCodeAt(nth).toString(16)
    const escaped = text.slice(at, at + 5).toLowerCase()
    if (escaped === `u${hex.padStart(4, '0')}`) at += 5
    else if (hex.length <= 2 && escaped.startsWith(`x${hex.padStart(2, '0')}`)) at += 3
    else return bracedEnd(text, from, char)
  }
  return at
}

function bracedEnd(text: string, from: number, char: string): number {
  const hex = /^u\{0*([0-9a-f]{1,6})\}/i.exec(text.slice(from, from + REFERENCE_UNITS_MAX + 2))
  if (hex?.[1] === undefined) return -1
  return Number.parseInt(hex[1], 16) === char.codePointAt(0) ? from + hex[0].length : -1
}

const REFERENCE = /^(?:#(\d{1,10})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z]{2,16}))(;?)/

/** `from` is behind the ampersand. */
function addReferenced(ends: Set<number>, text: string, from: number, code: number): void {
  let at = from
  while (text.startsWith('amp;', at)) {
    at += 4
    if (code === AMPERSAND) ends.add(at)
  }
  const found = REFERENCE.exec(text.slice(at, at + REFERENCE_UNITS_MAX + 8))
  if (found === null) return
  const [whole, decimal, hex, name = '', semicolon] = found
  const named = semicolon === ';' ? NAMED.get(name) : undefined
  const meant = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : named
  if (meant === code) ends.add(at + whole.length)
}

const AMPERSAND = 0x26

/** The names that HTML has for ASCII; letters and digits have none. */
const NAMED: ReadonlyMap<string, number> = new Map(
  (
    'Tab 9 NewLine 10 excl 33 quot 34 QUOT 34 num 35 dollar 36 percnt 37 amp 38 AMP 38 apos 39 ' +
    'lpar 40 rpar 41 ast 42 midast 42 plus 43 comma 44 period 46 sol 47 colon 58 semi 59 lt 60 ' +
    'LT 60 equals 61 gt 62 GT 62 quest 63 commat 64 lsqb 91 lbrack 91 bsol 92 rsqb 93 rbrack 93 ' +
    'Hat 94 lowbar 95 UnderBar 95 grave 96 lcub 123 lbrace 123 verbar 124 vert 124 rcub 125 ' +
    'rbrace 125 nbsp 160 iexcl 161 pound 163 sect 167 copy 169 reg 174 deg 176 szlig 223 ' +
    'auml 228 ouml 246 uuml 252 Auml 196 Ouml 214 Uuml 220 eacute 233 egrave 232 euro 8364'
  )
    .match(/\w+ \d+/g)
    ?.map((pair) => {
      const [name = '', code] = pair.split(' ')
      return [name, Number(code)] as const
    }),
)

const BYTES = new TextEncoder()

/** Each byte of UTF-8 as `%3D`, or `%253D`: the ends of all bytes. */
function percentEnds(text: string, from: number, char: string, depth: number): Iterable<number> {
  let ends = new Set([from])
  for (const byte of BYTES.encode(char)) {
    const hex = byte.toString(16).padStart(2, '0')
    const next = new Set<number>()
    for (const at of ends) {
      for (const intro of introEnds(text, at, '%', depth)) addByteEnds(next, text, intro, hex)
    }
    ends = next
  }
  return ends
}

/** `from` is behind a percent sign, which may itself be escaped: `%25`, `%2525`. */
function addByteEnds(ends: Set<number>, text: string, from: number, hex: string): void {
  for (let at = from; at - from <= PERCENTS_UNITS_MAX; at += 2) {
    if (text.slice(at, at + 2).toLowerCase() === hex) ends.add(at + 2)
    if (!text.startsWith('25', at)) return
  }
}

/** Two levels of escaped percent signs. */
const PERCENTS_UNITS_MAX = 4
