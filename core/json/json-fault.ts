/**
 * Explains why a text is not JSON (RFC 8259): the first place where it is wrong, and what is missing
 * there. JSON.parse judges the text; this scanner runs only for a text that it refuses. The words
 * never repeat the text, which may have a secret.
 */
import { findClosingQuote } from './closing-quote.ts'

/** Lines and columns start at 1. A column counts UTF-16 units, as editors do. */
export type TextPlace = { readonly line: number; readonly column: number }

export type JsonFault = TextPlace & {
  /** UTF-16 units before the place. */
  readonly offset: number
  /** A clause such as "a comma is missing before this value". */
  readonly message: string
}

/** Returns undefined for a text that this scanner finds sound. */
export function findJsonFault(text: string): JsonFault | undefined {
  const found = new Scanner(text).scan()
  return found === undefined ? undefined : { ...found, ...toTextPlace(text, found.offset) }
}

export function toTextPlace(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

type Found = { readonly offset: number; readonly message: string }

/** What may come next. */
type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'end'

type Open = { readonly offset: number; readonly isObject: boolean }

class Scanner {
  readonly #text: string
  readonly #open: Open[] = []
  #expected: Expected = 'value'
  #at = 0
  #commaAt = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): Found | undefined {
    for (;;) {
      this.#skipSpace()
      if (this.#at >= this.#text.length) return this.#checkEnd()
      const found = this.#readToken(this.#text[this.#at] ?? '')
      if (found !== undefined) return found
    }
  }

  #skipSpace(): void {
    while (SPACE.has(this.#text[this.#at] ?? '')) this.#at += 1
  }

  #readToken(char: string): Found | undefined {
    if (char === '/' && /[/*]/.test(this.#text[this.#at + 1] ?? '')) return this.#here(COMMENT)
    switch (this.#expected) {
      case 'end':
        return this.#here('the JSON ends before this text; remove the text')
      case 'colon':
        return char === ':' ? this.#step('value') : this.#here('a colon is missing after the name')
      case 'comma-or-end':
        return this.#readAfterValue(char)
      case 'name':
      case 'name-or-end':
        return this.#readName(char)
      case 'value':
      case 'value-or-end':
        return this.#readValue(char)
      default:
        return this.#expected satisfies never
    }
  }

  #readAfterValue(char: string): Found | undefined {
    const open = this.#open.at(-1)
    if (char === '}' || char === ']') return this.#close(char)
    if (char === ',') {
      this.#commaAt = this.#at
      return this.#step(open?.isObject === true ? 'name' : 'value')
    }
    if (char === ':')
      return this.#here('a colon here is one too many, or a comma is missing before')
    return this.#here(
      `a comma is missing before this ${open?.isObject === true ? 'name' : 'value'}`,
    )
  }

  #readName(char: string): Found | undefined {
    if (char === '"') return this.#readString('colon')
    if (char === '}' && this.#expected === 'name-or-end') return this.#close(char)
    if (char === '}' || char === ']') return this.#atComma()
    if (char === ',') return this.#here('this comma is one too many')
    return this.#here('a name in double quotes is missing')
  }

  #readValue(char: string): Found | undefined {
    if (char === '{' || char === '[') return this.#openBracket(char === '{')
    if (char === '"') return this.#readString(this.#afterValue())
    if (char === ']' && this.#expected === 'value-or-end') return this.#close(char)
    if (char === ']' && this.#isAfterComma()) return this.#atComma()
    if (char === ',' && this.#isAfterComma()) return this.#here('this comma is one too many')
    if (/[\]},:]/.test(char)) return this.#here('a value is missing')
    if (char === "'" || char === '“') return this.#here('a text is in double quotes (")')
    return this.#readWord()
  }

  /** True if the value that is missing here follows a comma of an array. */
  #isAfterComma(): boolean {
    return this.#open.at(-1)?.isObject === false && this.#expected === 'value'
  }

  #readWord(): Found | undefined {
    const word = /^[^\s,:{}[\]"]+/.exec(this.#text.slice(this.#at, this.#at + WORD_UNITS_MAX))?.[0]
    const length = word?.length ?? 1
    const isNumber = NUMBER.test(word ?? '') || length === WORD_UNITS_MAX
    if (isNumber || LITERALS.has(word ?? '')) return this.#step(this.#afterValue(), length)
    if (/^[-+.\d]/.test(word ?? '')) return this.#here('this is not a number of JSON')
    return this.#here('this is not a value; a text is in double quotes')
  }

  #readString(next: Expected): Found | undefined {
    const start = this.#at
    const end = findClosingQuote(this.#text, start)
    const inside = this.#text.slice(start + 1, end)
    const wrong = inside.search(CONTROL)
    // A string that is not closed reaches into the next lines.
    if (wrong !== -1 && /[\r\n]/.test(inside[wrong] ?? '')) {
      return {
        offset: start,
        message: 'the text that begins here is not closed on its line; add "',
      }
    }
    if (wrong !== -1) return { offset: start + 1 + wrong, message: RAW_CONTROL }
    if (end >= this.#text.length)
      return { offset: start, message: 'the text that begins here is not closed; add "' }
    const badEscape = findBadEscape(inside)
    if (badEscape !== undefined) return { offset: start + 1 + badEscape, message: BAD_ESCAPE }
    return this.#step(next, end + 1 - start)
  }

  #openBracket(isObject: boolean): undefined {
    this.#open.push({ offset: this.#at, isObject })
    return this.#step(isObject ? 'name-or-end' : 'value-or-end')
  }

  #close(char: string): Found | undefined {
    const open = this.#open.at(-1)
    if (open === undefined) return this.#here('this bracket closes nothing; remove it')
    if (open.isObject !== (char === '}')) return this.#here(`${this.#describe(open)} is not closed`)
    this.#open.pop()
    return this.#step(this.#afterValue())
  }

  #checkEnd(): Found | undefined {
    if (this.#expected === 'end') return undefined
    const open = this.#open.at(-1)
    if (open === undefined) return this.#here('a value is missing')
    return this.#here(`${this.#describe(open)} is not closed; add ${open.isObject ? '}' : ']'}`)
  }

  #describe({ isObject, offset }: Open): string {
    const { column, line } = toTextPlace(this.#text, offset)
    const noun = isObject ? 'object' : 'array'
    return `the ${noun} that opens at line ${line}, column ${column}`
  }

  #atComma(): Found {
    return { offset: this.#commaAt, message: 'this comma is one too many; nothing follows it' }
  }

  #afterValue(): Expected {
    return this.#open.length === 0 ? 'end' : 'comma-or-end'
  }

  #here(message: string): Found {
    return { offset: this.#at, message }
  }

  #step(expected: Expected, length = 1): undefined {
    this.#expected = expected
    this.#at += length
    return undefined
  }
}

const SPACE = new Set([' ', '\t', '\n', '\r'])
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const LITERALS = new Set(['true', 'false', 'null'])
/** A number of JSON may be longer; such a word is not judged. */
const WORD_UNITS_MAX = 400
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has no controls in strings.
const CONTROL = /[\u0000-\u001f]/
const RAW_CONTROL = 'a control character, such as a tab, is written as an escape (\\t)'
const BAD_ESCAPE = 'a backslash is written as \\\\ unless it begins an escape'
const COMMENT = 'JSON has no comments; remove this one'

function findBadEscape(inside: string): number | undefined {
  for (let at = inside.indexOf('\\'); at !== -1; at = inside.indexOf('\\', at + 2)) {
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(inside.slice(at, at + 6))) return at
  }
  return undefined
}
