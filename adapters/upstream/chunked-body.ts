/**
 * A body in chunks (RFC 9112 section 7.1). Extensions and trailers must be well formed and are
 * skipped. Lines end in CR LF only.
 */
import type { Body } from './response-body.ts'
import { addHeader } from './response-head.ts'
import type { Sink } from './response-sink.ts'

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
    if (line.length > LINE_BYTES_MAX) return 'broken'
    if (feed < 0) return to
    const text = line
    line = ''
    if (!text.endsWith('\r') || !readLine(text.slice(0, -1))) return 'broken'
    return isLast(text) ? endOf(bytes, feed + 1) : feed + 1
  }
  const isLast = (text: string) => expected === 'trailer' && text === '\r'
  /** False: the line is not valid HTTP. */
  const readLine = (text: string): boolean => {
    switch (expected) {
      case 'size':
        return readSize(text)
      case 'trailer':
        return countExtra(text.length) && (text === '' || isTrailer(text))
      default:
        expected = 'size'
        return text === ''
    }
  }
  const readSize = (text: string): boolean => {
    const size = CHUNK_SIZE.exec(text)?.[1]
    if (size === undefined) return false
    missing = Number.parseInt(size, 16)
    expected = missing === 0 ? 'trailer' : 'data'
    chunks += 1
    return chunks <= CHUNKS_MAX && countExtra(text.length - size.length)
  }
  const countExtra = (bytes: number): boolean => {
    extraBytes += bytes
    return extraBytes <= EXTRA_BYTES_MAX
  }
  return {
    take: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        const next = expected === 'data' ? takeData(bytes, at) : takeLine(bytes, at)
        if (typeof next === 'string') return next
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
