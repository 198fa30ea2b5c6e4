/**
 * An upstream's faults on the wire, as data: a name, the treatment of a request, and the outcome
 * that the adapter must report with a cap of 1,000,000 bytes.
 */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import {
  BAD_SIZE,
  BROKEN,
  badHeader,
  badLength,
  CHUNKED,
  CLOSED,
  CUT,
  does,
  ends,
  HEAD,
  HEAD_TOO_LONG,
  type Misbehaviour,
  MUCH_CHUNKING,
  NOT_HTTP,
  notUnpackable,
  OK,
  packedHead,
  packs,
  pour,
  redirects,
  TOO_LARGE,
  TOO_LONG_CHUNK,
  trickle,
  unknownEncoding,
  unreadable,
  writes,
} from './misbehave.ts'

/** More than the largest cap of a skill (4 MB). */
const BOMB_BYTES = 16_000_000
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

export const MISBEHAVIOURS: readonly Misbehaviour[] = [
  // Hangs and hang-ups.
  does('hangs', CUT, () => undefined),
  writes('hangs-in-its-head', CUT, 'HTTP/1.1 200 OK\r\nx-a: '),
  writes('hangs-in-its-body', CUT, `${HEAD}content-length: 100\r\n\r\nhalf`),
  writes('hangs-in-its-chunks', CUT, `${CHUNKED}5\r\nhello\r\n`),
  does('resets', CLOSED, (socket) => socket.resetAndDestroy()),
  does('closes', CLOSED, (socket) => socket.end()),
  does('resets-in-its-body', BROKEN, (socket) => {
    socket.write(`${HEAD}content-length: 100\r\n\r\nhalf`, () => socket.resetAndDestroy())
  }),
  ends('closes-in-its-head', CLOSED, 'HTTP/1.1 200 OK\r\nx-a: b\r\n'),
  ends('closes-in-its-chunks', BROKEN, `${CHUNKED}5\r\nhello\r\n`),
  does('stops-reading-and-hangs', CUT, (socket) => socket.pause()),
  does('closes-its-half-after-the-answer', OK, (socket) => {
    socket.end(`${HEAD}content-length: 2\r\n\r\nok`)
  }),
  does('closes-its-half-and-reads-on', CLOSED, (socket) => {
    socket.resume()
    socket.end()
  }),

  // A byte a second.
  does('trickles-its-head', CUT, (socket) => trickle(socket, HEAD)),
  does('trickles-its-body', CUT, (socket) => {
    socket.write(`${HEAD}content-length: 100\r\n\r\n`)
    trickle(socket, 'x'.repeat(100))
  }),
  does('trickles-its-chunks', CUT, (socket) => {
    socket.write(CHUNKED)
    trickle(socket, '1\r\nx\r\n'.repeat(100))
  }),

  // Lies about lengths.
  ends('is-shorter-than-it-says', BROKEN, `${HEAD}content-length: 100\r\n\r\nshort`),
  writes('is-longer-than-it-says', OK, `${HEAD}content-length: 2\r\n\r\nokay, and more`),
  writes('says-a-terabyte', TOO_LARGE, `${HEAD}content-length: 1000000000000\r\n\r\nx`),
  writes('says-less-than-nothing', badLength('-1'), `${HEAD}content-length: -1\r\n\r\nok`),
  writes('says-no-number', badLength('two'), `${HEAD}content-length: two\r\n\r\nok`),
  writes(
    'says-more-than-a-number-holds',
    badLength('99999999999999999999'),
    `${HEAD}content-length: 99999999999999999999\r\n\r\nok`,
  ),
  writes(
    'says-two-lengths',
    unreadable('sent more than one Content-Length header'),
    `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`,
  ),
  writes(
    'says-a-length-and-chunks',
    unreadable('sent Content-Length beside Transfer-Encoding'),
    `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  writes('has-a-chunk-of-no-size', BAD_SIZE, `${CHUNKED}size\r\nok\r\n0\r\n\r\n`),
  does('has-a-chunk-of-nine-digits', TOO_LARGE, (socket) => {
    pour(socket, `${CHUNKED}fffffffff\r\n`, 'x')
  }),
  writes('has-a-chunk-longer-than-its-size', TOO_LONG_CHUNK, `${CHUNKED}1\r\nok\r\n0\r\n\r\n`),
  ends('has-a-last-chunk-without-end', BROKEN, `${CHUNKED}2\r\nok\r\n0\r\n`),

  // Without end.
  does('has-no-end', TOO_LARGE, (socket) => pour(socket, `${HEAD}\r\n`, 'x'.repeat(60_000))),
  does('has-no-end-of-chunks', TOO_LARGE, (socket) => {
    pour(socket, CHUNKED, `ea60\r\n${'x'.repeat(60_000)}\r\n`)
  }),
  does('has-no-end-of-chunks-of-one-byte', MUCH_CHUNKING, (socket) => {
    pour(socket, CHUNKED, '1\r\nx\r\n'.repeat(10_000))
  }),
  does(
    'has-no-end-of-extensions',
    unreadable('sent over 16384 bytes of extensions with one chunk'),
    (socket) => pour(socket, `${CHUNKED}1`, `;${'x'.repeat(1_000)}`),
  ),
  does('has-a-long-extension-per-chunk', MUCH_CHUNKING, (socket) => {
    pour(socket, CHUNKED, `1;${'x'.repeat(1_000)}\r\nx\r\n`)
  }),
  does('has-no-end-of-trailers', unreadable('sent over 32768 bytes of trailers'), (socket) =>
    pour(socket, `${CHUNKED}2\r\nok\r\n0\r\n`, 'x-a: b\r\n'),
  ),
  does('has-no-end-of-headers', HEAD_TOO_LONG, (socket) => pour(socket, HEAD, 'x-a: b\r\n')),
  does('has-a-header-without-end', HEAD_TOO_LONG, (socket) =>
    pour(socket, `${HEAD}x-a: `, 'x'.repeat(1_000)),
  ),
  does('has-no-end-of-interim-answers', HEAD_TOO_LONG, (socket) => {
    pour(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
  }),
  does('has-no-end-of-packed-bytes', TOO_LARGE, (socket) => {
    // Empty stored blocks: gzip's head, and then five bytes for no byte.
    pour(socket, packedHead('gzip'), '\0\0\0\xff\xff'.repeat(1_000), '\x1f\x8b\x08\0\0\0\0\0\0\x03')
  }),

  // Packed bodies.
  packs('is-a-gzip-bomb', TOO_LARGE, 'gzip', () => gzipSync(Buffer.alloc(BOMB_BYTES))),
  packs('is-a-brotli-bomb', TOO_LARGE, 'br', () =>
    brotliCompressSync(Buffer.alloc(BOMB_BYTES), QUICKLY),
  ),
  packs('is-a-deflate-bomb', TOO_LARGE, 'deflate', () => deflateSync(Buffer.alloc(BOMB_BYTES))),
  packs('is-a-bomb-of-many-members', TOO_LARGE, 'gzip', () =>
    Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(60_000)))),
  ),
  does('is-a-bomb-without-end', TOO_LARGE, (socket) => {
    pour(socket, packedHead('gzip'), gzipSync(Buffer.alloc(100_000)).toString('latin1'))
  }),
  packs('is-packed-twice', unknownEncoding('gzip, gzip'), 'gzip, gzip', () =>
    gzipSync(gzipSync('ok')),
  ),
  packs('is-packed-in-zstd', unknownEncoding('zstd'), 'zstd', () =>
    Buffer.from('(\xb5/\xfd', 'latin1'),
  ),
  packs('is-packed-in-a-name-of-objects', unknownEncoding('__proto__'), '__proto__', () =>
    Buffer.from('ok'),
  ),
  packs('is-not-packed-though-it-says-so', notUnpackable('gzip'), 'gzip', () => Buffer.from('ok')),
  packs('is-packed-in-half', notUnpackable('gzip'), 'gzip', () =>
    gzipSync('x'.repeat(999)).subarray(0, 20),
  ),
  packs('is-brotli-in-half', notUnpackable('br'), 'br', () =>
    brotliCompressSync('x'.repeat(999)).subarray(0, 5),
  ),
  packs('is-packed-with-zeros-behind', OK, 'gzip', () =>
    Buffer.concat([gzipSync('ok'), Buffer.alloc(512)]),
  ),
  packs('is-packed-with-garbage-behind', notUnpackable('gzip'), 'gzip', () =>
    Buffer.concat([gzipSync('ok'), Buffer.from('garbage')]),
  ),

  // Bytes that are not HTTP, or that two readers would understand in two ways.
  ends('speaks-ssh', NOT_HTTP, 'SSH-2.0-OpenSSH_9.9\r\n'),
  ends('speaks-http-0-9', NOT_HTTP, '<html>ok</html>'),
  ends('speaks-http-2', NOT_HTTP, 'HTTP/2 200\r\n\r\nok'),
  ends(
    'ends-lines-in-line-feeds',
    unreadable('ended a line of its headers with a bare line feed (LF without CR)'),
    'HTTP/1.1 200 OK\ncontent-length: 2\n\nok\r\n\r\n',
  ),
  // Nothing more comes: each is refused by what came.
  writes(
    'ends-all-lines-in-line-feeds',
    unreadable('ended a line of its headers with a bare line feed (LF without CR)'),
    'HTTP/1.1 200 OK\ncontent-length: 2\n\nok',
  ),
  writes(
    'ends-all-lines-in-carriage-returns',
    unreadable('sent a carriage return without a line feed in its headers'),
    'HTTP/1.1 200 OK\rcontent-length: 2\r\rok',
  ),
  writes('says-chunks-and-sends-none', BAD_SIZE, `${CHUNKED}{"ok":true}`),
  writes('has-a-chunk-longer-than-its-size-without-end', TOO_LONG_CHUNK, `${CHUNKED}1\r\nok`),
  writes(
    'names-a-charset-as-its-packing',
    unknownEncoding('UTF-8'),
    `${HEAD}content-encoding: UTF-8\r\ncontent-length: 2\r\n\r\nok`,
  ),
  ends(
    'folds-a-header',
    unreadable('folded its header x-a over two lines'),
    `${HEAD}x-a: b\r\n c\r\ncontent-length: 2\r\n\r\nok`,
  ),
  ends('has-a-nul-in-a-header', badHeader('x-a'), `${HEAD}x-a: \0\r\ncontent-length: 2\r\n\r\nok`),
  writes(
    'has-much-white-space-and-a-nul',
    badHeader('x-a'),
    `${HEAD}x-a:${' '.repeat(32_000)}\0\r\n\r\n`,
  ),
  ends(
    'has-white-space-before-a-colon',
    badHeader('content-length'),
    `${HEAD}content-length : 2\r\n\r\nok`,
  ),
  writes(
    'switches-protocols',
    unreadable('answered 101 and switched to another protocol, which was not asked for'),
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ),
  writes(
    'answers-twice',
    OK,
    `${HEAD}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`,
  ),
  writes(
    'has-a-body-where-there-is-none',
    { kind: 'answered', status: 204, text: '' },
    'HTTP/1.1 204 No\r\ncontent-length: 4\r\n\r\nevil',
  ),

  // Unusual, and still answers.
  writes(
    'announces-its-answer',
    OK,
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nx: y\r\n\r\n${HEAD}content-length: 2\r\n\r\nok`,
  ),
  writes(
    'says-headers-twice',
    OK,
    `${HEAD}content-type: application/json\r\nx-a: b\r\nx-a: c\r\ncontent-length: 2\r\n\r\nok`,
  ),
  writes(
    'has-an-unknown-charset',
    OK,
    'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=klingon\r\ncontent-length: 2\r\n\r\nok',
  ),
  writes(
    'has-a-wrong-charset',
    { kind: 'answered', status: 200, text: '\ufffd' },
    'HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-16\r\ncontent-length: 1\r\n\r\n\xff',
  ),
  writes(
    'says-json-and-is-none',
    OK,
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\nok',
  ),

  // Redirects.
  redirects('redirects-to-itself', 'it redirects more than 3 times', (name) => `/${name}`),
  redirects('redirects-to-garbage', 'its redirect does not lead to a valid URL', () => 'http://['),
  redirects(
    'redirects-to-metadata',
    'its redirect leads to a URL that is http; use https, or let the operator allow 169.254.169.254 (--outbound-allow, on AWS OUTBOUND_ALLOW or PRIVATE_HOSTS)',
    () => 'http://169.254.169.254/latest/meta-data/',
  ),
  redirects(
    'redirects-to-a-file',
    'its redirect leads to a URL that has the scheme file; use https',
    () => 'file:///etc/passwd',
  ),
  writes(
    'redirects-nowhere',
    { kind: 'answered', status: 302, text: '' },
    'HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n',
  ),
]
