/**
 * Bodies and their framing: a length, right or wrong; chunks with everything that may accompany
 * them; both, or neither; packed or not, whole or not. Texts are latin1: one character, one byte.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { headerLine, joined, lineEnd, often } from './odd-heads.ts'

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never

const same = (bytes: Buffer) => bytes
const PACKERS = {
  none: same,
  identity: same,
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
} as const
const packing = often<keyof typeof PACKERS>(
  ['none', 'none', 'none', 'gzip', 'br'],
  ['deflate', 'x-gzip', 'GZIP', 'identity'],
)

const payload = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 40 }),
  fc.constantFrom('', '{"a":1}', '\r\n', '0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\nevil'),
  fc.integer({ min: 0, max: 3_000 }).map((length) => 'x'.repeat(length)),
)

const extension = often(
  ['', '', '', '', ';a', ';a=b', ';a="b c"', ';a="\\"b"', ';a=b;c=d'],
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
    ';a b',
    ';"a"',
    ';;',
    ' x',
    ';\xe9',
    ';\0',
    ';\x7f',
    ';a=b\tc',
    ';a="b"c',
    ',a',
    ';a\rb',
    `;${'a'.repeat(4_000)}`,
  ],
  20,
)
const spelling = fc.record({
  before: often(['', ''], ['0', '00000', '000000000', '+', '-', ' ', '0x', 'f'], 30),
  extension,
  lineEnd,
  isUpper: fc.boolean(),
})
const trailers = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.array(headerLine, { maxLength: 3 }).map((lines) => lines.join('')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'content-length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      'connection: close\r\n',
      'x: \0\r\n',
      'x\r\n',
      ' x: y\r\n',
      'a: b\r\n c\r\n',
      ': y\r\n',
      'x : y\r\n',
      'x: \x7f\r\n',
    ),
  },
)
const chunking = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
  spellings: fc.array(spelling, { minLength: 1, maxLength: 4 }),
  dataEnd: lineEnd,
  last: joined(often(['0'], ['00', '', '-0', '0x0', '000000000'], 30), extension, lineEnd),
  trailers,
  end: often(['\r\n'], ['\n', '', '\r', '\r\n\r\n'], 30),
})

function inChunks(body: string, how: Of<typeof chunking>): string {
  let text = ''
  for (let at = 0, nth = 0; at < body.length; nth += 1) {
    const part = body.slice(at, at + (how.sizes[nth % how.sizes.length] ?? 1))
    const size = part.length.toString(16)
    const as = how.spellings[nth % how.spellings.length]
    text += `${as?.before}${as?.isUpper ? size.toUpperCase() : size}${as?.extension}${as?.lineEnd}`
    text += part + how.dataEnd
    at += part.length
  }
  return text + how.last + how.trailers + how.end
}

const framing = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'length' as const, off: 0 }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('length' as const), off: fc.constantFrom(-1, 1) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('chunked' as const), how: chunking }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'until_close' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('both' as const), how: chunking }) },
)

/** White space and other bytes around the value of a framing header. */
const spelt = fc.record({
  colon: often([': ', ':'], [':\t', ': \t ', ' :', ':\x0b'], 20),
  behind: often([''], [' ', '\t', '  ', '\x0b', ';', ','], 20),
  coding: often(['chunked', 'Chunked'], ['CHUNKED', '"chunked"', 'chunked, identity', 'gzip'], 30),
})

type FramedBody = { readonly headers: string; readonly body: string }

function framed(body: string, how: Of<typeof framing>, as: Of<typeof spelt>): FramedBody {
  const bytes = body.length + (how.kind === 'length' ? how.off : 0)
  const length = `Content-Length${as.colon}${bytes}${as.behind}\r\n`
  const coding = `Transfer-Encoding${as.colon}${as.coding}${as.behind}\r\n`
  switch (how.kind) {
    case 'length':
      return { headers: length, body }
    case 'chunked':
      return { headers: coding, body: inChunks(body, how.how) }
    case 'both':
      return { headers: length + coding, body: inChunks(body, how.how) }
    case 'until_close':
      return { headers: '', body }
    default:
      return how satisfies never
  }
}

/** A body, and the headers that it needs. */
export const framedBody: fc.Arbitrary<FramedBody> = fc
  .record({ payload, packing, keptThousandths: often([1_000], [0, 500, 999]), framing, spelt })
  .map((of) => {
    const packed = PACKERS[of.packing](Buffer.from(of.payload, 'latin1')).toString('latin1')
    const kept = packed.slice(0, Math.ceil((packed.length * of.keptThousandths) / 1_000))
    const { body, headers } = framed(kept, of.framing, of.spelt)
    const encoding = of.packing === 'none' ? '' : `Content-Encoding: ${of.packing}\r\n`
    return { headers: encoding + headers, body }
  })
