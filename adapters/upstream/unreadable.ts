/**
 * What makes the bytes of a response unreadable, in words that may cross the wire. Each text names
 * the header or the rule, and reads after "the upstream …". Judges only heads that the reader has
 * refused (response-head.ts), so that a good answer costs nothing.
 */
import { firstValue, HEADER_LINE, NAME, STATUS_LINE, valuesOf } from './response-head.ts'

/** `unreadable` is the clause. Calling again does not help: the upstream speaks like this. */
export type Unreadable = { readonly unreadable: string }

export function unreadable(clause: string): Unreadable {
  return { unreadable: clause }
}

export const NOT_HTTP = unreadable('did not answer in valid HTTP')
export const BARE_LF = unreadable(
  'ended a line of its headers with a bare line feed (LF without CR)',
)
export const BARE_CR = unreadable('sent a carriage return without a line feed in its headers')
export const SWITCHED = unreadable(
  'answered 101 and switched to another protocol, which was not asked for',
)
export const LONE_INTERIM = unreadable(
  'sent an interim answer (1xx) after which no other answer can follow',
)

const LF = 0x0a
const CR = 0x0d

/**
 * A line end other than CR LF in `bytes` from `from` on; undefined: none so far. The last byte may
 * be the CR of a pair whose LF has not arrived.
 */
export function bareLineEnd(bytes: Buffer, from: number): Unreadable | undefined {
  const feed = bareFeed(bytes, from)
  const carriage = bareReturn(bytes, from)
  if (feed < 0 && carriage < 0) return undefined
  return carriage < 0 || (feed >= 0 && feed < carriage) ? BARE_LF : BARE_CR
}

function bareFeed(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(LF, from)
  while (at >= 0 && at > 0 && bytes[at - 1] === CR) at = bytes.indexOf(LF, at + 1)
  return at
}

function bareReturn(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(CR, from)
  while (at >= 0 && (bytes[at + 1] === LF || at === bytes.length - 1)) {
    at = bytes.indexOf(CR, at + 1)
  }
  return at
}

/** Names of headers are shown up to this length; the longest registered one has 44 characters. */
const NAME_CHARS_MAX = 64
const VALUE_CHARS_MAX = 40
const NAME_AT_START = new RegExp(`^${NAME}`)

/** Why `text`, the head before its empty line (latin1), is none. */
export function headFault(text: string): Unreadable {
  const lineEnd = bareLineEnd(Buffer.from(text, 'latin1'), 0)
  if (lineEnd !== undefined) return lineEnd
  const [first = '', ...lines] = text.split('\r\n')
  if (!STATUS_LINE.test(first)) return unreadable('sent a status line that is not valid HTTP')
  const at = lines.findIndex((line) => !HEADER_LINE.test(line) || hasFramingTab(line))
  const line = lines[at] ?? ''
  if (/^[ \t]/.test(line)) {
    return unreadable(`folded its header ${nameOf(lines[at - 1])} over two lines`)
  }
  return unreadable(`sent a header line that is not valid HTTP: ${nameOf(line)}`)
}

function hasFramingTab(line: string): boolean {
  return /^(?:content-length|transfer-encoding):.*\t/i.test(line)
}

function nameOf(line = ''): string {
  const name = NAME_AT_START.exec(line)?.[0] ?? ''
  return name === '' ? 'it has no name' : name.slice(0, NAME_CHARS_MAX)
}

/** Why the length of the body cannot be told from these headers. */
export function framingFault(headers: readonly string[]): Unreadable {
  const lengths = valuesOf(headers, 'content-length')
  const codings = valuesOf(headers, 'transfer-encoding')
  if (lengths.length > 0 && codings.length > 0) {
    return unreadable('sent Content-Length beside Transfer-Encoding')
  }
  if (lengths.length > 1) return unreadable('sent more than one Content-Length header')
  if (lengths.length === 1) {
    return unreadable(`sent a Content-Length that is not one number: "${printable(lengths[0])}"`)
  }
  if (codings.length > 1) return unreadable('sent more than one Transfer-Encoding header')
  return unreadable(`sent a Transfer-Encoding other than chunked: "${printable(codings[0])}"`)
}

export function unknownEncoding(headers: readonly string[]): Unreadable {
  const named = printable(valuesOf(headers, 'content-encoding').join(', '))
  return unreadable(`sent its answer in Content-Encoding "${named}", which was not asked for`)
}

export function notUnpackable(headers: readonly string[]): Unreadable {
  const named = printable(firstValue(headers, 'content-encoding'))
  return unreadable(`sent a body that does not unpack as its Content-Encoding "${named}" says`)
}

/** It goes into a prompt: no quotes, and nothing that a terminal or a model could take for more. */
function printable(value = ''): string {
  return value.replace(/[^\w !#$%&*+,./:;=?^|~-]/g, '?').slice(0, VALUE_CHARS_MAX)
}
