/** Translates the atoms of a pattern to the syntax of RE2: characters, escapes, classes, properties. */
import { re2Property } from './re2-properties.ts'

/** The pattern has no equal in RE2; the message continues a sentence about the pattern. */
export class Untranslatable extends Error {}

/** Matches both halves of a surrogate pair, or any other escape. */
export const ESCAPE =
  '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}|' +
  '\\\\(?:[pP]\\{[^}]*\\}|u\\{[^}]*\\}|u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\\d*|[^])'
const IN_CLASS = new RegExp(`${ESCAPE}|[^]`, 'gu')

/** White space of ECMA-262; RE2's own class has only ASCII. */
const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const ALL = '\\x{0}-\\x{10ffff}'

/** `token` is a character, an escape or a class of ECMA-262. Throws {@link Untranslatable}. */
export function atomOf(token: string): string {
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
  const name = re2Property(token.slice(3, -1))
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
