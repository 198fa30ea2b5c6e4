/**
 * Answers as bytes of a server: what is read of each, and what is refused because two readers could understand it
 * differently. Each byte goes over a socket of 127.0.0.1.
 */
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import { CHUNKING_BYTES_MAX, HEAD_BYTES_MAX } from '../../../adapters/upstream/response-bytes.ts'
import type { UpstreamAnswer } from '../../../core/call/upstream.ts'
import { type TestServer, tcpServer } from './misbehaving-server.ts'

const CAP = 1_000

/** Latin1: one character, one byte. `isEnd`: the server closes behind them. */
type Sent = { readonly pieces: readonly string[]; readonly isEnd?: boolean }

let server: TestServer
let sent: Sent = { pieces: [] }
let upstream: ReturnType<typeof httpUpstream>
beforeAll(async () => {
  server = await tcpServer((socket) => void write(socket, sent))
  upstream = httpUpstream({ outboundAllow: [server.host] })
})
afterAll(() => {
  upstream.close()
  return server.close()
})

async function write(socket: Socket, { isEnd = false, pieces }: Sent): Promise<void> {
  socket.setNoDelay()
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece, 'latin1')
    await new Promise(setImmediate)
  }
  if (isEnd) socket.end()
}

type Asked = { readonly method?: 'GET' | 'HEAD'; readonly bytesMax?: number }

function answerTo(
  answer: Sent | string,
  { bytesMax = CAP, method = 'GET' }: Asked = {},
): Promise<UpstreamAnswer> {
  sent = typeof answer === 'string' ? { pieces: [answer] } : answer
  return upstream.send(
    { method, url: `${server.url}/`, headers: {}, body: undefined },
    {
      responseBytesMax: bytesMax,
      signal: new AbortController().signal,
      uid: 'ada',
      showHeaders: ['x-a', 'x-b'],
    },
  )
}

/** Status and body, or what went wrong. */
async function shown(answer: Sent | string, asked: Asked = {}): Promise<unknown> {
  const outcome = await answerTo(answer, asked)
  if (outcome.kind === 'unreadable') return { unreadable: outcome.detail }
  if (outcome.kind !== 'answered') return outcome.kind
  return [outcome.response.status, Buffer.from(outcome.response.body).toString('latin1')]
}

describe('an answer', () => {
  test('keeps the non-ASCII bytes of a header, and loses spaces and tabs around it only', async () => {
    const answer = await answerTo('HTTP/1.1 204 No\r\nX-A:\t \xa0b\xe9\xa0 \r\nx-b: \t\r\n\r\n')
    expect(answer.kind === 'answered' && answer.response.headers).toEqual({
      'x-a': '\xa0b\xe9\xa0',
      'x-b': '',
    })
  })

  test.each([
    ['by its length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', [200, 'ok']],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', [200, '']],
    [
      'in chunks, with an extension and a trailer',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b;c;d="e f"\r\nok\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      [200, 'ok0123456789'],
    ],
    [
      'after interim ones',
      'HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 404 No\r\ncontent-length: 1\r\n\r\nx',
      [404, 'x'],
    ],
    ['204, which has no body', 'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\n', [204, '']],
    ['304, which has no body', 'HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\n', [304, '']],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', [200, 'x']],
    [
      'with bytes behind it',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\nevil',
      [200, 'x'],
    ],
    [
      'in chunks with bytes behind it',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\ny',
      [200, 'x'],
    ],
    [
      'that asks for an upgrade',
      'HTTP/1.1 200 OK\r\nupgrade: h2c\r\nconnection: upgrade\r\ncontent-length: 1\r\n\r\nx',
      [200, 'x'],
    ],
  ])('is read %s', async (_, text, wanted) => {
    expect(await shown(text)).toEqual(wanted)
  })

  test('is read to the end of its connection', async () => {
    const answer = { pieces: ['HTTP/1.1 200 OK\r\n\r\nall', ' of it'], isEnd: true }
    expect(await shown(answer)).toEqual([200, 'all of it'])
  })

  test('to a HEAD has no body, whatever it declares', async () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n'
    expect(await shown(text, { method: 'HEAD' })).toEqual([200, ''])
  })

  test('is the same in whatever pieces it arrives', async () => {
    const whole = [
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\na: b\r\n\r\n',
    ]
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 })
    const property = fc.asyncProperty(fc.constantFrom(...whole), sizes, async (text, cuts) => {
      const pieces: string[] = []
      for (let at = 0, nth = 0; at < text.length; nth += 1) {
        const size = cuts[nth % cuts.length] ?? 1
        pieces.push(text.slice(at, at + size))
        at += size
      }
      expect(await shown({ pieces })).toEqual([200, 'hello'])
    })
    await fc.assert(property, { seed: 1, numRuns: 50 })
  })
})

/** Lines of at most 1000 bytes, without their ends. */
function trailersOf(bytes: number): string {
  const line = `a:${'b'.repeat(998)}\r\n`
  return `${line.repeat(Math.floor(bytes / 1_000))}${'c:'.padEnd(bytes % 1_000, 'd')}\r\n`
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe('bytes that are no answer', () => {
  test.each([
    ['another protocol, at its first bytes', 'SSH', 'did not answer in valid HTTP'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', 'did not answer in valid HTTP'],
    [
      'a protocol that the parser of node takes too',
      'RTSP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n',
      'did not answer in valid HTTP',
    ],
    [
      'empty lines before the answer',
      '\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
      'did not answer in valid HTTP',
    ],
    [
      'a status below 100',
      'HTTP/1.1 099 OK\r\ncontent-length: 0\r\n\r\n',
      'sent a status line that is not valid HTTP',
    ],
    [
      'a control character in the status line',
      'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n',
      'sent a status line that is not valid HTTP',
    ],
    [
      'an empty length',
      'HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\n',
      'sent a Content-Length that is not one number: ""',
    ],
    [
      'a length behind much white space',
      `HTTP/1.1 200 OK\r\ncontent-length: 1${' '.repeat(32_000)}x\r\n\r\n`,
      expect.stringMatching(/^sent a Content-Length that is not one number: "1 +"$/),
    ],
    [
      'a length that no computer counts exactly',
      'HTTP/1.1 200 OK\r\ncontent-length: 1000000000000000\r\n\r\n',
      'sent a Content-Length that is not one number: "1000000000000000"',
    ],
    [
      'chunks said first, and another coding last',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
      'sent a Transfer-Encoding other than chunked: "chunked, identity"',
    ],
    [
      'a status of two digits',
      'HTTP/1.1 20 OK\r\n\r\n',
      'sent a status line that is not valid HTTP',
    ],
    [
      'a bare line feed',
      'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n',
      'ended a line of its headers with a bare line feed (LF without CR)',
    ],
    [
      'a bare line feed in a header',
      'HTTP/1.1 200 OK\r\na: b\nc: d\r\ncontent-length: 0\r\n\r\n',
      'ended a line of its headers with a bare line feed (LF without CR)',
    ],
    [
      'a bare carriage return',
      'HTTP/1.1 200 OK\r\na: b\rc: d\r\ncontent-length: 0\r\n\r\n',
      'sent a carriage return without a line feed in its headers',
    ],
    [
      'a folded header',
      'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 0\r\n\r\n',
      'folded its header a over two lines',
    ],
    [
      'white space before the colon',
      'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n',
      'sent a header line that is not valid HTTP: content-length',
    ],
    [
      'a NUL',
      'HTTP/1.1 200 OK\r\na: \0\r\ncontent-length: 0\r\n\r\n',
      'sent a header line that is not valid HTTP: a',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\nx',
      'sent more than one Content-Length header',
    ],
    [
      'a list of lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\nx',
      'sent a Content-Length that is not one number: "1, 1"',
    ],
    [
      'a negative length',
      'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
      'sent a Content-Length that is not one number: "-1"',
    ],
    [
      'a signed length',
      'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\nx',
      'sent a Content-Length that is not one number: "+1"',
    ],
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'sent Content-Length beside Transfer-Encoding',
    ],
    [
      'a tab behind chunked',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\t\r\n\r\n0\r\n\r\n',
      'sent a header line that is not valid HTTP: transfer-encoding',
    ],
    [
      'a tab behind a length',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\t\r\n\r\nx',
      'sent a header line that is not valid HTTP: content-length',
    ],
    [
      'an interim answer that closes',
      'HTTP/1.1 103 Hints\r\nconnection: close\r\n\r\nHTTP/1.1 204 No\r\n\r\n',
      'sent an interim answer (1xx) after which no other answer can follow',
    ],
    [
      'an interim answer of HTTP/1.0',
      'HTTP/1.0 100 Go\r\n\r\nHTTP/1.1 204 No\r\n\r\n',
      'sent an interim answer (1xx) after which no other answer can follow',
    ],
    [
      'a length of an interim answer that is none',
      'HTTP/1.1 103 Hints\r\ncontent-length: -1\r\n\r\nHTTP/1.1 204 No\r\n\r\n',
      'sent a Content-Length that is not one number: "-1"',
    ],
    [
      'another coding',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      'sent a Transfer-Encoding other than chunked: "gzip, chunked"',
    ],
    [
      'chunks said twice',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'sent more than one Transfer-Encoding header',
    ],
  ])('an answer with %s is refused', async (_, text, why) => {
    expect(await shown(text)).toEqual({ unreadable: why })
  })

  test.each([
    [
      'a size that is none',
      'zz\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'an empty size',
      '\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'an extension behind white space',
      '1 ;a\r\nx\r\n0\r\n\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'an extension without a name',
      '1;\r\nx\r\n0\r\n\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'an extension with an open quote',
      '1;a="\r\nx\r\n0\r\n\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'a trailer that is no header',
      '0\r\nabc\r\n\r\n',
      'sent a trailer behind its chunks that is not valid HTTP',
    ],
    [
      'a trailer that says a length',
      '0\r\nContent-Length: 5\r\n\r\n',
      'sent a trailer behind its chunks that is not valid HTTP',
    ],
    [
      'a trailer that says how to go on',
      '0\r\nconnection: close\r\n\r\n',
      'sent a trailer behind its chunks that is not valid HTTP',
    ],
    [
      'a size before white space',
      '1 \r\nx\r\n0\r\n\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'a size behind white space',
      ' 1\r\nx\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'a bare line feed behind a size',
      '1\nx\r\n0\r\n\r\n',
      'ended a line between its chunks with a bare line feed (LF without CR)',
    ],
    [
      'a bare carriage return in an extension',
      '1;a\rb\r\nx\r\n0\r\n\r\n',
      'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
    ],
    [
      'more bytes than a chunk has',
      '1\r\nxy\r\n0\r\n\r\n',
      'sent a chunk that is longer than its size (Transfer-Encoding: chunked)',
    ],
    [
      'a trailer that says another coding',
      '0\r\nTransfer-Encoding: chunked\r\n\r\n',
      'sent a trailer behind its chunks that is not valid HTTP',
    ],
    [
      'extensions of 16385 bytes',
      `1;${'a'.repeat(16_385)}\r\nx\r\n0\r\n\r\n`,
      'sent over 16384 bytes of extensions with one chunk',
    ],
    [
      'trailers of 40000 bytes',
      `0\r\n${trailersOf(40_000)}\r\n`,
      'sent over 32768 bytes of trailers',
    ],
  ])('chunks with %s are refused', async (_, chunks, why) => {
    expect(await shown(`${CHUNKED}${chunks}`)).toEqual({ unreadable: why })
  })

  test.each([
    ['lines that end in line feeds', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok', 'line feed'],
    ['one bare line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n', 'line feed'],
    ['a first line that ends in a line feed', 'HTTP/1.1 200 OK\n', 'line feed'],
    ['lines that end in carriage returns', 'HTTP/1.1 200 OK\ra: b\r\r{}', 'carriage return'],
    ['a line feed before a carriage return', 'HTTP/1.1 200 OK\n\ra: b\n\r', 'line feed'],
    ['two carriage returns before a line feed', 'HTTP/1.1 200 OK\r\r\n', 'carriage return'],
  ])(
    'an unfinished head with %s is refused without its end, in one piece or byte by byte',
    async (_, text, named) => {
      const why = { unreadable: expect.stringContaining(named) }
      expect(await shown(text)).toEqual(why)
      expect(await shown({ pieces: [...text] })).toEqual(why)
    },
  )

  test.each([
    ['a size of other letters', '{"ok":true}'],
    ['a size behind a line end', '1\r\nx\r\n '],
    ['an extension without a size', ';a'],
    ['a chunk that is too long', '1\r\nxy'],
    ['a carriage return alone', '1\rx\r0\r\r'],
  ])('unfinished chunks with %s are refused without their end', async (_, chunks) => {
    expect(await shown(`${CHUNKED}${chunks}`)).toEqual({
      unreadable: expect.stringContaining('chunk'),
    })
  })
})

describe('limits', () => {
  const headOf = (bytes: number) => `HTTP/1.1 204 No\r\na: ${'x'.repeat(bytes - 20)}\r\n\r\n`
  const TOO_LONG = { unreadable: 'sent headers over 32768 bytes' }

  test('a head of 32768 bytes is read, one byte more is too long', async () => {
    expect(HEAD_BYTES_MAX).toBe(32_768)
    expect(await shown(headOf(32_768))).toEqual([204, ''])
    expect(await shown(headOf(32_769))).toEqual(TOO_LONG)
  })

  test('a head without an end is given up past the limit', async () => {
    expect(await shown(`HTTP/1.1 200 OK\r\na: ${'x'.repeat(32_768)}`)).toEqual(TOO_LONG)
  })

  test('interim answers count towards the limit', async () => {
    expect(await shown('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000))).toEqual(TOO_LONG)
  })

  test('an answer may have 65536 chunks of a byte, the last one included, and not a byte more beside its body', async () => {
    expect(CHUNKING_BYTES_MAX).toBe(327_680)
    const chunks = `${CHUNKED}${'1\r\nx\r\n'.repeat(65_535)}`
    const bytesMax = 100_000
    expect(await shown(`${chunks}0\r\n\r\n`, { bytesMax })).toEqual([200, 'x'.repeat(65_535)])
    expect(await shown(`${chunks}00\r\n\r\n`, { bytesMax })).toEqual({
      unreadable: 'sent over 327680 bytes of chunk sizes, extensions and trailers',
    })
  })

  test.each([
    ['length', (n: number) => `content-length: ${n}\r\n\r\n${'x'.repeat(n)}`],
    [
      'chunks',
      (n: number) =>
        `transfer-encoding: chunked\r\n\r\n${n.toString(16)}\r\n${'x'.repeat(n)}\r\n0\r\n\r\n`,
    ],
    ['its end', (n: number) => `\r\n${'x'.repeat(n)}`],
  ])('a body by %s at the cap is read, one byte more is too large', async (by, bodyOf) => {
    const isEnd = by === 'its end'
    const answer = [200, 'x'.repeat(1_000)]
    expect(await shown({ pieces: [`HTTP/1.1 200 OK\r\n${bodyOf(1_000)}`], isEnd })).toEqual(answer)
    expect(await shown({ pieces: [`HTTP/1.1 200 OK\r\n${bodyOf(1_001)}`] })).toBe('too_large')
  })

  test('a declared length past the cap is too large before its bytes come', async () => {
    expect(await shown('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n')).toBe('too_large')
  })
})
