/** The reader of heads beside a plain one, which takes a head line by line. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Framing,
  firstValue,
  framingOf,
  type ResponseHead,
  readHead,
  valuesOf,
} from '../../../adapters/upstream/response-head.ts'

type PlainHead = { readonly head: ResponseHead; readonly framing: Framing | undefined }

function readPlainly(text: string, method: string): PlainHead | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const started = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(first)
  if (started === null) return undefined
  const headers: string[] = []
  for (const line of lines) {
    const read = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
    if (read === null) return undefined
    const [, name = '', value = ''] = read
    const isFraming = /^(content-length|transfer-encoding)$/i.test(name)
    if (isFraming && value.includes('\t')) return undefined
    headers.push(name.toLowerCase(), value.replace(/^[ \t]+/, '').replace(/[ \t]+$/, ''))
  }
  const isClosing = plainValues(headers, 'connection').some((value) => /\bclose\b/i.test(value))
  const status = Number(started[2])
  const head = { status, headers, keepsAlive: started[1] === '1' && !isClosing }
  return { head, framing: framedPlainly(head, method) }
}

function framedPlainly({ headers, status }: ResponseHead, method: string): Framing | undefined {
  const lengths = plainValues(headers, 'content-length')
  const codings = plainValues(headers, 'transfer-encoding')
  const [length, coding] = [lengths[0], codings[0]]
  if (lengths.length + codings.length > 1) return undefined
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return undefined
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined
  if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'length', bytes: 0 }
  if (coding !== undefined) return { kind: 'chunked' }
  return length === undefined ? { kind: 'until_close' } : { kind: 'length', bytes: Number(length) }
}

function plainValues(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1] === name)
}

const NAMES = ['content-length', 'transfer-encoding', 'connection', 'x-a', 'a.b']
const SPELLED = [...NAMES, 'Content-Length', 'Transfer-Encoding', 'CONNECTION', 'X-A']
const VALUES = ['0', '5', '999999999999999', '1000000000000000', 'chunked', 'Chunked', 'close']
const MORE_VALUES = ['keep-alive, Close', 'enclosed', '', ' ', '\t5', '5\t', ' a:b ', '\xa0é', '+1']
const USUAL = ['Content-Length: 5', 'content-length:0 ', 'Transfer-Encoding: chunked', 'X-a: b']
const ODD = ['\r', '\n', '\r\n', '\0', '\t', ' ', ':', '\x7f', '\x80', 'a', '5', ',', '"']

const spaces = fc.constantFrom('', ' ', '  ', '\t', ' \t ')
const value = fc.constantFrom(...VALUES, ...MORE_VALUES)
const anyHeader = fc
  .tuple(fc.constantFrom(...SPELLED), fc.constant(':'), spaces, value, spaces)
  .map((parts) => parts.join(''))
const header = fc.oneof(fc.constantFrom(...USUAL), anyHeader)
const rightStatus = fc.constantFrom('200 OK', '204 No', '304', '101 ', '299 \xe9\t!', '999 x')
const wrongStatus = fc.constantFrom('099 x', '20 OK', '2000 OK', '200OK', '', '200 \0')
const status = fc.oneof(
  { weight: 8, arbitrary: rightStatus },
  { weight: 1, arbitrary: wrongStatus },
)
const protocol = fc.constantFrom(...Array(6).fill('HTTP/1.1'), 'HTTP/1.0', 'HTTP/1.2', 'http/1.1')
const wellFormed = fc
  .tuple(protocol, status, fc.array(header, { maxLength: 4 }))
  .map(([version, code, lines]) => [`${version} ${code}`, ...lines].join('\r\n'))
/** One character put in somewhere, or one in place of another. */
const broken = fc
  .tuple(wellFormed, fc.constantFrom(...ODD), fc.nat(), fc.boolean())
  .map(([text, odd, place, isInPlace]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + odd + text.slice(isInPlace ? at + 1 : at)
  })
const heads = fc.oneof({ weight: 2, arbitrary: wellFormed }, broken)

test('a head is read as a plain reader reads it line by line, and refused as it refuses it', () => {
  const outcomes = new Map<string, number>()
  const property = fc.property(heads, fc.constantFrom('GET', 'HEAD'), (text, method) => {
    const wanted = readPlainly(text, method)
    const head = readHead(text)
    expect(head).toEqual(wanted?.head)
    if (head === undefined) return void count(outcomes, 'no head')
    expect(framingOf(head, method)).toEqual(wanted?.framing)
    count(outcomes, wanted?.framing?.kind ?? 'ambiguous')
    for (const name of NAMES) {
      expect(valuesOf(head.headers, name)).toEqual(plainValues(head.headers, name))
      expect(firstValue(head.headers, name)).toBe(plainValues(head.headers, name)[0])
    }
  })
  fc.assert(property, { seed: 1, numRuns: 20_000 })
  for (const outcome of ['no head', 'ambiguous', 'length', 'chunked', 'until_close']) {
    expect([outcome, (outcomes.get(outcome) ?? 0) > 100]).toEqual([outcome, true])
  }
})

function count(outcomes: Map<string, number>, outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}

/** A pattern that goes back for each byte would take minutes. */
test.each([
  ['in one value', `\r\na:${'b'.repeat(200_000)}`],
  ['in one name', `\r\n${'a'.repeat(200_000)}`],
  ['in many lines', '\r\na:b'.repeat(40_000)],
  ['in white space', `\r\na:${' \t'.repeat(100_000)}`],
  ['in colons', `\r\na:${':'.repeat(200_000)}`],
  ['in a reason', ` ${'b'.repeat(200_000)}`],
])('a head of 200000 bytes that is none at its last is refused in one go, %s', (_, rest) => {
  expect(readHead(`HTTP/1.1 200${rest}\0`)).toBeUndefined()
})
