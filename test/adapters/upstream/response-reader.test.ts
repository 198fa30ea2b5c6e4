import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Progress, responseReader } from '../../../adapters/upstream/response-reader.ts'

const CAP = 1_000

/** No body here is packed, so no fault comes later. */
function reading(method = 'GET') {
  return responseReader(method, CAP, () => undefined)
}

function read(text: string, method = 'GET'): Progress {
  return reading(method).push(Buffer.from(text, 'latin1'))
}

/** As it arrives over a connection that is then closed. */
function readToEnd(text: string): Progress {
  const reader = reading()
  const progress = reader.push(Buffer.from(text, 'latin1'))
  return progress === 'more' ? reader.end() : progress
}

function shown(progress: Progress): unknown {
  if (typeof progress === 'string' || 'unreadable' in progress) return progress
  return [progress.status, progress.body.whole().toString('latin1'), progress.isReusable]
}

describe('an answer', () => {
  test('an answer has its status, its headers in lower case without surrounding white space, and its body', () => {
    const progress = read('HTTP/1.1 200 OK\r\nX-A:  b c \t\r\nContent-Length: 2\r\n\r\nok')
    expect(shown(progress)).toEqual([200, 'ok', true])
    expect(progress).toMatchObject({ headers: ['x-a', 'b c', 'content-length', '2'] })
  })

  test('an answer keeps the non-ASCII bytes of a header, and removes spaces and tabs only', () => {
    expect(read('HTTP/1.1 204 No\r\nx-a:\t \xa0b\xe9\xa0 \r\nx-b: \t\r\n\r\n')).toMatchObject({
      headers: ['x-a', '\xa0b\xe9\xa0', 'x-b', ''],
    })
  })

  test.each([
    ['by its length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', [200, 'ok', true]],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', [200, '', true]],
    [
      'in chunks, with an extension and a trailer',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b;c;d="e f"\r\nok\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      [200, 'ok0123456789', true],
    ],
    [
      'after interim ones',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 404 No\r\ncontent-length: 1\r\n\r\nx',
      [404, 'x', true],
    ],
    ['204, which has no body', 'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\n', [204, '', true]],
    ['304, which has no body', 'HTTP/1.1 304 No\r\ncontent-length: 5\r\n\r\n', [304, '', true]],
    [
      'that closes',
      'HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 1\r\n\r\nx',
      [200, 'x', false],
    ],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', [200, 'x', false]],
    [
      'with bytes behind it',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\nevil',
      [200, 'x', false],
    ],
    [
      'in chunks with bytes behind it',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\ny',
      [200, 'x', false],
    ],
    ['to the end of its connection', 'HTTP/1.1 200 OK\r\n\r\nall of it', [200, 'all of it', false]],
  ])('an answer is read %s', (_, text, wanted) => {
    expect(shown(readToEnd(text))).toEqual(wanted)
  })

  test('an answer to a HEAD has no body, whatever it declares', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n'
    expect(shown(read(text, 'HEAD'))).toEqual([200, '', true])
  })

  test('an answer is the same in whatever pieces it arrives', () => {
    const whole = [
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\na: b\r\n\r\n',
    ]
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(fc.constantFrom(...whole), cuts, (text, sizes) => {
        const reader = reading()
        let progress: Progress = 'more'
        for (let at = 0, nth = 0; at < text.length; nth += 1) {
          expect(progress).toBe('more')
          const size = sizes[nth % sizes.length] ?? 1
          progress = reader.push(Buffer.from(text.slice(at, at + size)))
          at += size
        }
        expect(shown(progress)).toEqual([200, 'hello', true])
      }),
    )
  })
})

/** Lines of at most 1000 bytes, without their ends. */
function trailersOf(bytes: number): string {
  const line = `a:${'b'.repeat(998)}\r\n`
  return `${line.repeat(Math.floor(bytes / 1_000))}${'c:'.padEnd(bytes % 1_000, 'd')}\r\n`
}

describe('bytes that are no answer', () => {
  test.each([
    ['another protocol, at its first bytes', 'SSH', 'did not answer in valid HTTP'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', 'did not answer in valid HTTP'],
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
  ])('the reader refuses %s', (_, text, why) => {
    expect(read(text)).toEqual({ unreadable: why })
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
      'a size of nine digits',
      '000000001\r\nx\r\n0\r\n\r\n',
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
      'a line of over 4096 bytes',
      `1;${'a'.repeat(4_096)}`,
      'sent a line between its chunks of over 4096 bytes',
    ],
    [
      'trailers of 16385 bytes',
      `0\r\n${trailersOf(16_385)}\r\n`,
      'sent over 16384 bytes of chunk extensions and trailers',
    ],
    [
      'extensions of 16385 bytes',
      `${`1;${'a'.repeat(3_999)}\r\nx\r\n`.repeat(4)}1;${'a'.repeat(384)}\r\n`,
      'sent over 16384 bytes of chunk extensions and trailers',
    ],
  ])('chunks with %s are refused', (_, chunks, why) => {
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`
    expect(read(text)).toEqual({ unreadable: why })
  })

  test('an answer may have a line of 4096 bytes, and 16384 of extensions and trailers', () => {
    const extension = `1;${'a'.repeat(4_093)}`
    const chunks = `${extension}\r\nx\r\n0\r\n${trailersOf(16_384 - 4_094)}\r\n`
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`
    expect(shown(read(text))).toEqual([200, 'x', true])
  })

  test('an answer may have 65536 chunks, the last one included, and not one more', () => {
    const chunksOf = (count: number) => `${'1\r\nx\r\n'.repeat(count - 1)}0\r\n\r\n`
    const readChunks = (count: number) =>
      responseReader('GET', 100_000, () => undefined).push(
        Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunksOf(count)}`),
      )
    expect(shown(readChunks(65_536))).toEqual([200, 'x'.repeat(65_535), true])
    expect(readChunks(65_537)).toEqual({ unreadable: 'sent more than 65536 chunks' })
  })

  test('a switch to another protocol is refused', () => {
    expect(read('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n')).toEqual({
      unreadable: 'answered 101 and switched to another protocol, which was not asked for',
    })
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
    (_, text, named) => {
      const why = { unreadable: expect.stringContaining(named) }
      expect(read(text)).toEqual(why)
      const reader = reading()
      const steps = [...text].map((byte) => reader.push(Buffer.from(byte, 'latin1')))
      expect(steps.find((step) => step !== 'more')).toEqual(why)
    },
  )

  test.each([
    ['a size of other letters', '{"ok":true}'],
    ['a size of nine digits', '000000001'],
    ['a size behind a line end', '1\r\nx\r\n '],
    ['an extension without a size', ';a'],
    ['a chunk that is too long', '1\r\nxy'],
    ['a carriage return alone', '1\rx\r0\r\r'],
  ])('unfinished chunks with %s are refused without their end', (_, chunks) => {
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`
    expect(read(text)).toEqual({ unreadable: expect.stringContaining('chunk') })
  })

  test.each([
    ['in its head', 'HTTP/1.1 200 OK\r\ncontent-le', 'more'],
    ['after an interim one', 'HTTP/1.1 100 Continue\r\n\r\n', 'more'],
    ['in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab', 'broken'],
    ['in its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'broken'],
  ])('an answer cut %s is incomplete', (_, text, wanted) => {
    expect(readToEnd(text)).toBe(wanted)
  })
})

describe('limits', () => {
  const headOf = (bytes: number) => `HTTP/1.1 204 No\r\na: ${'x'.repeat(bytes - 20)}\r\n\r\n`

  test('a head of 32768 bytes is read, one byte more is too long', () => {
    expect(shown(read(headOf(32_768)))).toEqual([204, '', true])
    expect(read(headOf(32_769))).toEqual({ unreadable: 'sent headers over 32768 bytes' })
  })

  test('a head without an end is given up past the limit', () => {
    expect(read(`HTTP/1.1 200 OK\r\na: ${'x'.repeat(32_768)}`)).toEqual({
      unreadable: 'sent headers over 32768 bytes',
    })
  })

  test('interim answers count towards the limit', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
    expect(read(interim.repeat(2_000))).toEqual({ unreadable: 'sent headers over 32768 bytes' })
  })

  test.each([
    ['length', true, (n: number) => `content-length: ${n}\r\n\r\n${'x'.repeat(n)}`],
    [
      'chunks',
      true,
      (n: number) =>
        `transfer-encoding: chunked\r\n\r\n${n.toString(16)}\r\n${'x'.repeat(n)}\r\n0\r\n\r\n`,
    ],
    ['its end', false, (n: number) => `\r\n${'x'.repeat(n)}`],
  ])('a body by %s at the cap is read, one byte more is too large', (_, isReusable, bodyOf) => {
    const answer = [200, 'x'.repeat(1_000), isReusable]
    expect(shown(readToEnd(`HTTP/1.1 200 OK\r\n${bodyOf(1_000)}`))).toEqual(answer)
    expect(readToEnd(`HTTP/1.1 200 OK\r\n${bodyOf(1_001)}`)).toBe('too_large')
  })

  test('a declared length past the cap is too large before its bytes come', () => {
    expect(read('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n')).toBe('too_large')
  })
})
