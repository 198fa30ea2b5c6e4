/**
 * Why the bytes of a response are unreadable, in words for agents. Each text names the header or
 * the rule, and continues a sentence "the upstream …". Every form that two readers could understand
 * differently is refused: bare line ends, folded lines, two lengths, a length together with a
 * transfer coding.
 */

/** `unreadable` is the clause. A retry does not help: the upstream always answers like this. */
export type Unreadable = { readonly unreadable: string }

export function makeUnreadable(clause: string): Unreadable {
  return { unreadable: clause }
}

export const NOT_HTTP = makeUnreadable('did not answer in valid HTTP')
export const SWITCHED = makeUnreadable(
  'answered 101 and switched to another protocol, which was not asked for',
)
export const LONE_INTERIM = makeUnreadable(
  'sent an interim answer (1xx) after which no other answer can follow',
)
export const BAD_TRAILER = makeUnreadable('sent a trailer behind its chunks that is not valid HTTP')

const BARE_LF = 'with a bare line feed (LF without CR)'
const BARE_CR = 'sent a carriage return without a line feed'

const NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*'
/**
 * Also matches white space around a value: a pattern that excludes it would take quadratic time.
 */
const HEADER_LINE = new RegExp(`^${NAME}:${TEXT}$`)
const STATUS_LINE = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: ${TEXT})?$`)
const NAME_AT_START = new RegExp(`^${NAME}`)
/** Fifteen digits at most: a float holds such a number exactly. */
const LENGTH = /^content-length:[ \t]*\d{1,15}[ \t]*$/i
const CHUNKED = /^transfer-encoding:[ \t]*chunked[ \t]*$/i
/** Characters of a header's name that are shown; the longest registered name has 44. */
const NAME_CHARS_MAX = 64
const VALUE_CHARS_MAX = 40

/**
 * Why `text` (latin1), a head up to its empty line, is not valid; undefined if it is. The text may
 * end where node's parser refused it.
 */
export function findHeadError(text: string): Unreadable | undefined {
  const [lineEnd] = /(?<!\r)\n|\r(?!\n|$)/.exec(text) ?? []
  if (lineEnd === '\n') return makeUnreadable(`ended a line of its headers ${BARE_LF}`)
  if (lineEnd !== undefined) return makeUnreadable(`${BARE_CR} in its headers`)
  const [first = '', ...lines] = text.split('\r\n')
  if (!STATUS_LINE.test(first)) return makeUnreadable('sent a status line that is not valid HTTP')
  return findFramingError(lines) ?? findLineError(lines)
}

function findLineError(lines: readonly string[]): Unreadable | undefined {
  const at = lines.findIndex((line) => !HEADER_LINE.test(line) || hasFramingTab(line))
  const line = lines[at]
  if (line === undefined) return undefined
  return /^[ \t]/.test(line)
    ? makeUnreadable(`folded its header ${readHeaderName(lines[at - 1])} over two lines`)
    : makeUnreadable(`sent a header line that is not valid HTTP: ${readHeaderName(line)}`)
}

/** Node's parser reads a tab after `chunked` as a part of the value; other parsers do not. */
function hasFramingTab(line: string): boolean {
  return /^(?:content-length|transfer-encoding):.*\t/i.test(line)
}

function readHeaderName(line = ''): string {
  const name = NAME_AT_START.exec(line)?.[0] ?? ''
  return name === '' ? 'it has no name' : name.slice(0, NAME_CHARS_MAX)
}

/** Why the length of the body is unclear, or its transfer coding is one that was not requested. */
function findFramingError(lines: readonly string[]): Unreadable | undefined {
  const [length, ...lengths] = lines.filter((line) => /^content-length:/i.test(line))
  const [coding, ...codings] = lines.filter((line) => /^transfer-encoding:/i.test(line))
  if (length !== undefined && coding !== undefined) {
    return makeUnreadable('sent Content-Length beside Transfer-Encoding')
  }
  if (lengths.length > 0) return makeUnreadable('sent more than one Content-Length header')
  if (length !== undefined && !LENGTH.test(length)) {
    return makeUnreadable(
      `sent a Content-Length that is not one number: "${readHeaderValue(length)}"`,
    )
  }
  if (codings.length > 0) return makeUnreadable('sent more than one Transfer-Encoding header')
  return coding === undefined || CHUNKED.test(coding)
    ? undefined
    : makeUnreadable(`sent a Transfer-Encoding other than chunked: "${readHeaderValue(coding)}"`)
}

function readHeaderValue(line: string): string {
  return toPrintable(line.slice(line.indexOf(':') + 1).trim())
}

/** Describes an error of node's parser after the head, by its code and reason. */
export function describeChunkError(code: string, reason: string): Unreadable {
  const isInData = reason.includes('chunk data')
  switch (code) {
    case 'HPE_CR_EXPECTED':
      return makeUnreadable(`ended a line between its chunks ${BARE_LF}`)
    case 'HPE_LF_EXPECTED':
      return makeUnreadable(`${BARE_CR} between its chunks`)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return makeUnreadable('sent over 16384 bytes of extensions with one chunk')
    case 'HPE_INVALID_CHUNK_SIZE':
    case 'HPE_STRICT':
      return isInData
        ? makeUnreadable('sent a chunk that is longer than its size (Transfer-Encoding: chunked)')
        : makeUnreadable('sent a chunk whose size is not valid HTTP (Transfer-Encoding: chunked)')
    default:
      return BAD_TRAILER
  }
}

export function describeUnknownEncoding(encoding: string): Unreadable {
  const named = toPrintable(encoding)
  return makeUnreadable(`sent its answer in Content-Encoding "${named}", which was not asked for`)
}

export function describeUnpackError(encoding: string): Unreadable {
  const named = toPrintable(encoding)
  return makeUnreadable(`sent a body that does not unpack as its Content-Encoding "${named}" says`)
}

/**
 * Without quotes and control characters, since a model's prompt or a terminal may show the value.
 */
function toPrintable(value: string): string {
  return value.replace(/[^\w !#$%&*+,./:;=?^|~-]/g, '?').slice(0, VALUE_CHARS_MAX)
}
