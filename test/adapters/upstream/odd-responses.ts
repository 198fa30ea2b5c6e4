/**
 * HTTP/1 answers that a server may send when it means well, is broken or is an attacker: most begin as a
 * right one, in which parts are then spelled in other ways, bytes are changed, and places are cut.
 * Texts are latin1: one character, one byte.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'

export type OddAnswer = {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly text: string
  /** Where its bytes are cut, as parts of 1000 of its length. */
  readonly cuts: readonly number[]
}

/** As it arrives: no piece is empty. */
export function piecesOf({ cuts, text }: OddAnswer): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const places = cuts.map((cut) => Math.floor((cut * bytes.length) / 1_000)).sort((a, b) => a - b)
  const pieces = [0, ...places].map((from, nth) => bytes.subarray(from, places[nth]))
  return pieces.filter((piece) => piece.length > 0)
}

const often = <T>(usual: readonly T[], odd: readonly T[], weight = 8): fc.Arbitrary<T> =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )

const lineEnd = often(['\r\n'], ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', ' \r\n', '\0\r\n'], 200)
const version = often(
  ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'],
  ['HTTP/1.2', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/11', 'http/1.1', ' HTTP/1.1', 'ICY', '\r\nHTTP/1.1'],
  60,
)
const space = often([' '], ['  ', '\t', '', '\x0b'], 100)
const status = often(
  '200 200 200 201 204 205 206 300 301 302 304 307 400 404 429 500 503'.split(' '),
  '100 101 102 103 199 099 000 999 600 20 2000 +200 -200 0x1 2e2 2\x000'.split(' '),
  30,
)
const reason = often(
  [' OK', ' OK', '', ' ', ' Not Found, really'],
  [' \x80\xff', ' a\tb', ' a\0b', ' \x7f', ' \x01', '  OK ', `${' '.repeat(300)}x`, ' \r', '\tOK'],
  20,
)
const statusLine = fc.tuple(version, space, status, reason, lineEnd).map((parts) => parts.join(''))

const headerName = often(
  'content-type content-encoding retry-after location x-a keep-alive set-cookie'.split(' '),
  'content-length transfer-encoding connection trailer upgrade te proxy-connection'
    .split(' ')
    .concat([
      '',
      'x a',
      'x\0',
      'x-\xe9',
      ':',
      '"x"',
      'x[',
      'content-length ',
      ' x',
      '\tx',
      '__proto__',
    ]),
  5,
)
const headerValue = often(
  ['text/plain', 'application/json; charset=utf-8', 'identity', '120', '/elsewhere', 'timeout=5'],
  [
    '',
    ' ',
    'close',
    'keep-alive',
    'Keep-Alive, close',
    'upgrade',
    'chunked',
    'gzip',
    'br',
    'x-gzip',
    'gzip, chunked',
    'chunked, chunked',
    '0',
    '5',
    '+5',
    '-5',
    '5 5',
    '5,5',
    '5, 5',
    '05',
    '0x5',
    '5.0',
    '99999999999999999999',
    '9007199254740993',
    'a\0b',
    'a\x7fb',
    'a\x01b',
    '\xe9\xa0',
    '\xa0',
    'a\rb',
    'a\nb',
    'a\r\n b',
    'a\r\n\tb',
    'a\r\n',
    '"',
    ',',
    ';',
    'x'.repeat(5_000),
    'h2c',
    'websocket',
  ],
  5,
)
const colon = often([': ', ':'], [' : ', ':\t', ':  \t ', '', ';', ' ', '::'], 80)
const spelled = (name: string) => fc.constantFrom(name, name.toUpperCase(), titled(name))
const headerLine = fc
  .tuple(
    headerName.chain(spelled),
    colon,
    headerValue,
    often(['', ''], [' ', '\t', ' \t ']),
    lineEnd,
  )
  .map((parts) => parts.join(''))

function titled(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (start) => start.toUpperCase())
}

const PACKERS = {
  none: (body: Buffer) => body,
  gzip: (body: Buffer) => gzipSync(body),
  deflate: (body: Buffer) => deflateSync(body),
  br: (body: Buffer) => brotliCompressSync(body),
  'x-gzip': (body: Buffer) => gzipSync(body),
  GZIP: (body: Buffer) => gzipSync(body),
  identity: (body: Buffer) => body,
} as const
const packing = often(
  ['none', 'none', 'none', 'gzip', 'br'] as const,
  ['deflate', 'x-gzip', 'GZIP', 'identity'] as const,
)

const payload = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.constantFrom(
    '',
    '{"a":1}',
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil',
    '\r\n',
    '0\r\n\r\n',
  ),
  fc.integer({ min: 0, max: 3_000 }).map((length) => 'x'.repeat(length)),
)

const chunkSize = fc.tuple(
  often(['', ''], ['0', '00000', '000000000', '+', '-', ' ', '0x', 'f'], 20),
  often(
    ['', '', '', ';a', ';a=b', ';a="b c"'],
    [
      ' ',
      ' ;a',
      ';',
      '; a',
      ';a ',
      ';a = b',
      ';a=',
      ';=b',
      ';a="',
      ';a="\\"b"',
      ';a=b;c=d',
      ';a b',
      ';\xe9',
      ';\0',
      ';\x7f',
      ';a=b\tc',
      ';"a"',
      ';;',
      ' x',
      ';a="b"c',
      ',a',
      `;${'a'.repeat(4_000)}`,
      ';a\rb',
    ],
    8,
  ),
  lineEnd,
)
const trailer = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.array(headerLine, { maxLength: 3 }).map((lines) => lines.join('')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'content-length: 5\r\n',
      'x: \0\r\n',
      'x\r\n',
      ' x: y\r\n',
      'a: b\r\n c\r\n',
    ),
  },
)
const chunking = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
  spelling: fc.array(chunkSize, { minLength: 1, maxLength: 4 }),
  dataEnd: lineEnd,
  lastSize: often(['0'], ['00', '', '-0', '0x0', '000000000']),
  trailer,
  end: often(['\r\n'], ['\n', '', '\r', '\r\n\r\n'], 30),
  upperCase: fc.boolean(),
})
type Chunking = typeof chunking extends fc.Arbitrary<infer T> ? T : never

function inChunks(body: string, how: Chunking): string {
  let text = ''
  for (let at = 0, nth = 0; at < body.length; nth += 1) {
    const part = body.slice(at, at + (how.sizes[nth % how.sizes.length] ?? 1))
    const [before, extension, end] = how.spelling[nth % how.spelling.length] ?? ['', '', '\r\n']
    const size = part.length.toString(16)
    text += `${before}${how.upperCase ? size.toUpperCase() : size}${extension}${end}${part}${how.dataEnd}`
    at += part.length
  }
  const [, extension, end] = how.spelling[0] ?? ['', '', '\r\n']
  return `${text}${how.lastSize}${extension}${end}${how.trailer}${how.end}`
}

const framing = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'length', off: 0 } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('length' as const),
      off: fc.integer({ min: -2, max: 2 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('chunked' as const), how: chunking }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'until_close' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('both' as const), how: chunking }) },
)
type Framing = typeof framing extends fc.Arbitrary<infer T> ? T : never

function framed(body: string, how: Framing): readonly [header: string, body: string] {
  switch (how.kind) {
    case 'length':
      return [`Content-Length: ${body.length + how.off}\r\n`, body]
    case 'chunked':
      return ['Transfer-Encoding: chunked\r\n', inChunks(body, how.how)]
    case 'both':
      return [
        `content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n`,
        inChunks(body, how.how),
      ]
    case 'until_close':
      return ['', body]
    default:
      return how satisfies never
  }
}

const plainAnswer = fc
  .record({
    statusLine,
    headers: fc.array(headerLine, { maxLength: 4 }),
    payload,
    packing,
    keptOfPacked: often([1_000], [0, 500, 999]),
    framing,
    end: lineEnd,
  })
  .map((of) => {
    const packed = PACKERS[of.packing](Buffer.from(of.payload, 'latin1'))
    const kept = packed
      .toString('latin1')
      .slice(0, Math.ceil((packed.length * of.keptOfPacked) / 1_000))
    const [header, body] = framed(kept, of.framing)
    const encoding = of.packing === 'none' ? '' : `Content-Encoding: ${of.packing}\r\n`
    return `${of.statusLine}${of.headers.join('')}${encoding}${header}${of.end}${body}`
  })

const interim = often(
  ['', '', ''],
  [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.1 100 Continue\r\ntransfer-encoding: chunked\r\n\r\n',
    'HTTP/1.1 102 \n\n',
    'HTTP/1.0 100 Continue\r\nconnection: close\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(30),
  ],
)
const behind = often(
  ['', '', ''],
  [
    '\r\n',
    '\n',
    '\0',
    'x',
    'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil',
    'HTTP/1.1 ',
    '0\r\n\r\n',
  ],
)

const ODD_BYTES = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '9',
  'a',
  '\x7f',
  '\x80',
  '\xff',
  '',
]
const change = fc.record({
  /** In parts of 1000. */
  at: fc.integer({ min: 0, max: 999 }),
  removed: fc.constantFrom(0, 0, 1, 1, 2, 20),
  added: fc.constantFrom(...ODD_BYTES),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(text: string, { added, at, removed }: Change): string {
  const from = Math.floor((at * text.length) / 1_000)
  return text.slice(0, from) + added + text.slice(from + removed)
}

export const oddAnswers: fc.Arbitrary<OddAnswer> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD'),
    text: fc.tuple(interim, plainAnswer, behind).map((parts) => parts.join('')),
    changes: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(change, { maxLength: 3 }) },
    ),
    cuts: fc.array(fc.integer({ min: 0, max: 999 }), { maxLength: 6 }),
  })
  .map(({ changes, cuts, method, text }) => ({ method, text: changes.reduce(changed, text), cuts }))
