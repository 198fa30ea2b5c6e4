/**
 * Status lines and headers as servers send them, one part of each often in a forbidden spelling.
 * Texts are latin1: one character, one byte.
 */
import fc from 'fast-check'

/** Picks one of `odd` for each `weight` of `usual`. */
export function often<T>(usual: readonly T[], odd: readonly T[], weight = 8): fc.Arbitrary<T> {
  return fc.oneof(
    { weight, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
}

const words = (text: string) => text.split(' ')

export const lineEnd = often(
  ['\r\n'],
  ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', ' \r\n', '\0\r\n'],
  200,
)

const version = often(
  words('HTTP/1.1 HTTP/1.1 HTTP/1.1 HTTP/1.0'),
  [...words('HTTP/1.2 HTTP/0.9 HTTP/2.0 HTTP/11 http/1.1 ICY'), ' HTTP/1.1', '\r\nHTTP/1.1'],
  60,
)
const space = often([' '], ['  ', '\t', '', '\x0b'], 100)
const status = often(
  words('200 200 200 201 204 205 206 300 301 302 304 307 400 404 429 500 503'),
  [...words('100 101 102 103 199 099 000 999 600 20 2000 +200 -200 0x1 2e2'), '2\x000'],
  30,
)
const reason = often(
  [' OK', ' OK', '', ' ', ' Not Found, really'],
  [' \x80\xff', ' a\tb', ' a\0b', ' \x7f', ' \x01', '  OK ', ' '.repeat(300), ' \r', '\tOK'],
  20,
)
export const statusLine = joined(version, space, status, reason, lineEnd)

const headerName = often(
  words('content-type content-encoding retry-after location x-a keep-alive set-cookie'),
  [
    ...words('content-length transfer-encoding connection trailer upgrade te x[ "x" x-\xe9'),
    '',
    ':',
    'x a',
    'x\0',
    'content-length ',
    ' x',
    '\tx',
    '__proto__',
  ],
  12,
)
const colon = often([': ', ':'], [' : ', ':\t', ':  \t ', '', ';', ' ', '::'], 80)
const headerValue = often(
  ['text/plain', 'application/json; charset=utf-8', 'identity', '120', '/elsewhere', 'timeout=5'],
  [
    ...words('close keep-alive upgrade chunked gzip br x-gzip h2c websocket " , ;'),
    '',
    ' ',
    'Keep-Alive, close',
    'gzip, chunked',
    'chunked, chunked',
    ...words('0 5 +5 -5 5,5 05 0x5 5.0 9007199254740993 99999999999999999999'),
    '5 5',
    '5, 5',
    'a\0b',
    'a\x7fb',
    'a\x01b',
    '\xe9\xa0',
    '\xa0',
    'x'.repeat(5_000),
    'a\rb',
    'a\nb',
    'a\r\n b',
    'a\r\n\tb',
    'a\r\n',
  ],
  5,
)
const spaceBehind = often(['', ''], [' ', '\t', ' \t '])

export const headerLine = joined(
  headerName.chain(spelled),
  colon,
  headerValue,
  spaceBehind,
  lineEnd,
)

function spelled(name: string): fc.Arbitrary<string> {
  const titled = name.replace(/(^|-)([a-z])/g, (start) => start.toUpperCase())
  return fc.constantFrom(name, name.toUpperCase(), titled)
}

export function joined(...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((texts) => texts.join(''))
}
