/**
 * Translates the atoms of a pattern to the syntax of RE2: characters, escapes, classes, properties.
 */

/** The pattern has no equal in RE2; the message continues a sentence about the pattern. */
export class Untranslatable extends Error {}

/** Matches both halves of a surrogate pair, or any other escape. */
export const ESCAPE_PATTERN =
  '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}|' +
  '\\\\(?:[pP]\\{[^}]*\\}|u\\{[^}]*\\}|u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\\d*|[^])'
const IN_CLASS = new RegExp(`${ESCAPE_PATTERN}|[^]`, 'gu')

/** White space of ECMA-262; RE2's own class has only ASCII. */
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const ALL = '\\x{0}-\\x{10ffff}'

/** `token` is a character, an escape or a class of ECMA-262. Throws {@link Untranslatable}. */
export function translateAtom(token: string): string {
  if (token === '.') return '[^\\n\\r\\x{2028}\\x{2029}]'
  if (token === '^' || token === '$' || token === '\\b' || token === '\\B') return token
  if (/^\\(?:k<|[1-9])/.test(token)) {
    throw new Untranslatable('a reference to what a group has matched cannot be checked')
  }
  if (token.startsWith('[')) return translateClass(token)
  return translateClassEscape(token, 'alone') ?? writeLiteral(readCodePoint(token))
}

function translateClass(token: string): string {
  const isNegated = token.startsWith('[^')
  const members = [...token.slice(isNegated ? 2 : 1, -1).matchAll(IN_CLASS)].map(([one]) => one)
  if (members.length === 0) return isNegated ? `[${ALL}]` : `[^${ALL}]`
  let source = ''
  for (let at = 0; at < members.length; at += 1) {
    const [from = '', dash, to] = members.slice(at, at + 3)
    const group = translateClassEscape(from, 'in a class')
    if (group === undefined && dash === '-' && to !== undefined) {
      source += `${writeLiteral(readCodePointInClass(from))}-${writeLiteral(readCodePointInClass(to))}`
      at += 2
    } else source += group ?? writeLiteral(readCodePointInClass(from))
  }
  return `[${isNegated ? '^' : ''}${source}]`
}

/** Undefined if the escape is no class of characters. */
function translateClassEscape(token: string, where: 'alone' | 'in a class'): string | undefined {
  if (/^\\[dDwW]$/.test(token)) return token
  if (token === '\\s') return where === 'alone' ? `[${SPACE}]` : SPACE
  if (token === '\\S') return where === 'alone' ? `[${NO_SPACE}]` : NO_SPACE
  if (!/^\\p/i.test(token)) return undefined
  const name = findRe2Property(token.slice(3, -1))
  if (name === undefined) throw new Untranslatable(`the property of ${token} is not known`)
  return `${token.slice(0, 2)}{${name}}`
}

const CONTROLS: { readonly [token: string]: number } = {
  '\\0': 0,
  '\\t': 9,
  '\\n': 10,
  '\\v': 11,
  '\\f': 12,
  '\\r': 13,
}

function readCodePointInClass(token: string): number {
  return token === '\\b' ? 8 : readCodePoint(token)
}

function readCodePoint(token: string): number {
  const control = CONTROLS[token]
  if (control !== undefined) return control
  const [, pair, hex] = /^(\\u.{4}\\u.{4})|^\\[ux]\{?([\da-fA-F]+)/.exec(token) ?? []
  if (pair !== undefined) {
    const units = [pair.slice(2, 6), pair.slice(8)].map((unit) => Number.parseInt(unit, 16))
    return String.fromCharCode(...units).codePointAt(0) ?? 0
  }
  if (hex !== undefined) return Number.parseInt(hex, 16)
  if (/^\\c[A-Za-z]$/.test(token)) return token.charCodeAt(2) % 32
  return token.codePointAt(token.length > 1 && token.startsWith('\\') ? 1 : 0) ?? 0
}

function writeLiteral(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`
}

/**
 * Names of `\p{…}` in ECMA-262 that re2js has, and re2js's names for them. Both are case-sensitive.
 */
const CATEGORIES =
  'L Letter,LC Cased_Letter,Lu Uppercase_Letter,Ll Lowercase_Letter,Lt Titlecase_Letter,Lm Modifier_Letter,' +
  'Lo Other_Letter,M Mark,Mn Nonspacing_Mark,Mc Spacing_Mark,Me Enclosing_Mark,N Number,Nd Decimal_Number,' +
  'Nl Letter_Number,No Other_Number,P Punctuation,Pc Connector_Punctuation,Pd Dash_Punctuation,' +
  'Ps Open_Punctuation,Pe Close_Punctuation,Pi Initial_Punctuation,Pf Final_Punctuation,Po Other_Punctuation,' +
  'S Symbol,Sm Math_Symbol,Sc Currency_Symbol,Sk Modifier_Symbol,So Other_Symbol,Z Separator,' +
  'Zs Space_Separator,Zl Line_Separator,Zp Paragraph_Separator,C Other,Cc Control,Cf Format,Cs Surrogate,' +
  'Co Private_Use,Cn Unassigned'
const BINARY =
  'Any,Ascii ASCII,ASCII_Hex_Digit AHex,Alphabetic Alpha,Dash,Emoji,Emoji_Component EComp,Emoji_Modifier EMod,' +
  'Emoji_Modifier_Base EBase,Emoji_Presentation EPres,Extended_Pictographic ExtPict,Hex_Digit Hex,' +
  'Lowercase Lower,Math,Quotation_Mark QMark,Uppercase Upper,White_Space space'
const SCRIPTS =
  'Arabic Arab,Armenian Armn,Bengali Beng,Bopomofo Bopo,Cherokee Cher,Common Zyyy,Cyrillic Cyrl,' +
  'Devanagari Deva,Ethiopic Ethi,Georgian Geor,Greek Grek,Gujarati Gujr,Gurmukhi Guru,Han Hani,Hangul Hang,' +
  'Hebrew Hebr,Hiragana Hira,Inherited Zinh,Kannada Knda,Katakana Kana,Khmer Khmr,Lao Laoo,Latin Latn,' +
  'Malayalam Mlym,Mongolian Mong,Myanmar Mymr,Sinhala Sinh,Tamil Taml,Telugu Telu,Thaana Thaa,Thai,Tibetan Tibt'

const PROPERTY_NAMES = new Map([
  ...listNames(CATEGORIES, ['', 'General_Category=', 'gc=']),
  ...listNames(SCRIPTS, ['Script=', 'sc=']),
  ...listNames(BINARY, ['']),
])

/** Each entry is the name of re2js, followed by other names of ECMA-262. */
function listNames(
  entries: string,
  prefixes: readonly string[],
): readonly (readonly [string, string])[] {
  return entries.split(',').flatMap((entry) => {
    const names = entry.split(' ')
    const [re2Name = ''] = names
    return names.flatMap((name) => prefixes.map((prefix) => [`${prefix}${name}`, re2Name] as const))
  })
}

/** The name of re2js for a property; undefined if re2js does not have it. */
export function findRe2Property(name: string): string | undefined {
  return PROPERTY_NAMES.get(name)
}
