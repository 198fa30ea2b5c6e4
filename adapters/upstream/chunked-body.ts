/**
 * A body in chunks (RFC 9112 section 7.1). Extensions and trailers must be well formed and are
 * skipped. Lines end in CR LF only.
 */

import type { Body, Sink } from './body-sink.ts'
import { addHeader } from './response-head.ts'
import { type Unreadable, unreadable } from './unreadable.ts'

/** The line of a chunk's size with its extensions, or of one trailer. */
export const LINE_BYTES_MAX = 4_096
/**
 * Extensions and trailers of one body: they cost time, and the cap on the body does not count them.
 */
export const EXTRA_BYTES_MAX = 16_384
/**
 * Chunks of one body: at a microsecond each, four million chunks of one byte would block the event
 * loop for seconds.
 */
export const CHUNKS_MAX = 65_536
/**
 * White space only inside quotes: elsewhere two readers could disagree about the end of the size.
 */
const CHUNK_SIZE =
  /^([0-9a-f]{1,8})(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*"))?)*$/i
/** Headers that define a message's length or its connection must not arrive as trailers. */
const NO_TRAILERS: ReadonlySet<string> = new Set(
  'connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** A size whose line has not ended. */
const SIZE_STARTS = /^[0-9a-f]{0,8}(?:\r?$|(?<=[0-9a-f]);)/i

const BAD_SIZE = unreadable(
  'sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)',
)
const BAD_END = unreadable('sent a chunk that is longer than its size (Transfer-Encoding: chunked)')
const BAD_TRAILER = unreadable('sent a trailer behind its chunks that is not valid HTTP')
const BARE_LF = unreadable('ended a line between its chunks with a bare line feed (LF without CR)')
const BARE_CR = unreadable('sent a carriage return without a line feed between its chunks')
const LONG_LINE = unreadable(`sent a line between its chunks of over ${LINE_BYTES_MAX} bytes`)
const TOO_MUCH = unreadable(`sent over ${EXTRA_BYTES_MAX} bytes of chunk extensions and trailers`)
const TOO_MANY = unreadable(`sent more than ${CHUNKS_MAX} chunks`)

const LINE_FEED = 0x0a

type End = Exclude<ReturnType<Body['take']>, 'more'>

export function chunkedBody(sink: Sink): Body {
  let expected: 'size' | 'data' | 'data_end' | 'trailer' = 'size'
  let missing = 0
  let line = ''
  let extraBytes = 0
  let chunks = 0

  const takeData = (bytes: Buffer, from: number): number | End => {
    const part = bytes.subarray(from, from + missing)
    missing -= part.length
    if (missing === 0) expected = 'data_end'
    return sink.add(part) ?? from + part.length
  }
  const takeLine = (bytes: Buffer, from: number): number | End => {
    const feed = bytes.indexOf(LINE_FEED, from)
    const to = feed < 0 ? bytes.length : feed
    line += bytes.toString('latin1', from, to)
    const fault = feed < 0 ? startFault() : lineFault()
    if (fault !== undefined) return fault
    if (feed < 0) return to
    const isLast = expected === 'trailer' && line === '\r'
    line = ''
    return isLast ? endOf(bytes, feed + 1) : feed + 1
  }
  /** Judges a line whose end has not arrived, since that of a wrong one may never come. */
  const startFault = (): Unreadable | undefined => {
    if (line.length > LINE_BYTES_MAX) return LONG_LINE
    if (/\r./s.test(line)) return BARE_CR
    if (expected === 'size') return SIZE_STARTS.test(line) ? undefined : BAD_SIZE
    return expected === 'data_end' && !/^\r?$/.test(line) ? BAD_END : undefined
  }
  const lineFault = (): Unreadable | undefined => {
    if (line.length > LINE_BYTES_MAX) return LONG_LINE
    return line.endsWith('\r') ? readLine(line.slice(0, -1)) : BARE_LF
  }
  const readLine = (text: string): Unreadable | undefined => {
    switch (expected) {
      case 'size':
        return readSize(text)
      case 'trailer':
        return countExtra(text.length) ?? (text === '' || isTrailer(text) ? undefined : BAD_TRAILER)
      default:
        expected = 'size'
        return text === '' ? undefined : BAD_END
    }
  }
  const readSize = (text: string): Unreadable | undefined => {
    const size = CHUNK_SIZE.exec(text)?.[1]
    if (size === undefined) return BAD_SIZE
    missing = Number.parseInt(size, 16)
    expected = missing === 0 ? 'trailer' : 'data'
    chunks += 1
    return chunks > CHUNKS_MAX ? TOO_MANY : countExtra(text.length - size.length)
  }
  const countExtra = (bytes: number): Unreadable | undefined => {
    extraBytes += bytes
    return extraBytes > EXTRA_BYTES_MAX ? TOO_MUCH : undefined
  }
  return {
    take: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        const next = expected === 'data' ? takeData(bytes, at) : takeLine(bytes, at)
        if (typeof next !== 'number') return next
        at = next
      }
      return 'more'
    },
  }
}

function isTrailer(text: string): boolean {
  const header: string[] = []
  return addHeader(text, header) && !NO_TRAILERS.has(header[0] ?? '')
}

function endOf(bytes: Buffer, at: number): End {
  return at < bytes.length ? 'surplus' : 'done'
}
