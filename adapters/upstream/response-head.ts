/**
 * Status line and headers of an HTTP/1 response, and the delimiting of its body (RFC 9112 sections
 * 2 to 6). Refuses every form that two readers could understand differently: bare line ends, folded
 * lines, two lengths, a length beside a transfer coding.
 */

export type ResponseHead = {
  readonly status: number
  /** Lower-case names and their values by turns, in the order sent. */
  readonly headers: readonly string[]
  /** True for HTTP/1.1 without `Connection: close`. */
  readonly keepsAlive: boolean
}

export type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until_close' }

export const NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const TEXT = '[\\t\\x20-\\x7e\\x80-\\xff]*'
/** Matches the white space around a value too: a pattern that excludes it takes quadratic time. */
const HEADER = `${NAME}:${TEXT}`
export const HEADER_LINE = new RegExp(`^${HEADER}$`)
const START = `HTTP/1\\.[01] [1-9]\\d\\d(?: ${TEXT})?`
export const STATUS_LINE = new RegExp(`^${START}$`)
/** All lines at once: a match of each takes twice the time. */
const HEAD = new RegExp(`^${START}(?:\\r\\n${HEADER})*$`)
/** Where the minor version and the status are in such a text. */
const MINOR_AT = 7
const STATUS_AT = 9
const STATUS_END = 12
/** Fifteen digits: every such number is exact. */
const LENGTH = /^\d{1,15}$/

/** `text` (latin1) ends before the empty line. Undefined: not HTTP (unreadable.ts says why). */
export function readHead(text: string): ResponseHead | undefined {
  if (!HEAD.test(text)) return undefined
  const headers: string[] = []
  // No line has a carriage return inside.
  let end = text.indexOf('\r', STATUS_END)
  while (end >= 0) {
    const from = end + 2
    end = text.indexOf('\r', from)
    if (!takeHeader(text, { from, to: end < 0 ? text.length : end }, headers)) return undefined
  }
  const keepsAlive = text[MINOR_AT] === '1' && !isClosing(headers)
  return { status: Number(text.slice(STATUS_AT, STATUS_END)), headers, keepsAlive }
}

/** Adds name and value of one line (without its end) to `headers`. False: the line is no header. */
export function addHeader(line: string, headers: string[]): boolean {
  return HEADER_LINE.test(line) && takeHeader(line, { from: 0, to: line.length }, headers)
}

/** Takes a header that is well formed. False: two readers could understand it differently. */
function takeHeader(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  headers: string[],
): boolean {
  const colon = text.indexOf(':', from)
  const name = text.slice(from, colon).toLowerCase()
  const value = trimmed(text, colon + 1, to)
  // Node's parser reads a tab after `chunked` as a part of it; other parsers do not.
  if (isFraming(name) && text.slice(colon, to).includes('\t')) return false
  headers.push(name, value)
  return true
}

function isFraming(name: string | undefined): boolean {
  return name === 'content-length' || name === 'transfer-encoding'
}

function isClosing(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === 'connection' && /\bclose\b/i.test(headers[at + 1] ?? '')) return true
  }
  return false
}

/** Removes spaces and tabs only: `trim` would remove a byte of 0xA0 too. */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isSpace(text.charCodeAt(from))) from += 1
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1
  return text.slice(from, to)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Undefined where the length of the body is ambiguous. */
export function framingOf({ headers, status }: ResponseHead, method: string): Framing | undefined {
  const framing = framingIn(headers)
  if (framing === undefined) return undefined
  return method === 'HEAD' || status === 204 || status === 304 ? NO_BODY : framing
}

const NO_BODY: Framing = { kind: 'length', bytes: 0 }
const CHUNKED: Framing = { kind: 'chunked' }
const UNTIL_CLOSE: Framing = { kind: 'until_close' }

function framingIn(headers: readonly string[]): Framing | undefined {
  let framing = UNTIL_CLOSE
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]
    if (!isFraming(name)) continue
    // A second length or coding, or one beside the other.
    const own = framing === UNTIL_CLOSE ? framingBy(name, headers[at + 1] ?? '') : undefined
    if (own === undefined) return undefined
    framing = own
  }
  return framing
}

/** A body in another coding could not be read, and our request allows none (no TE). */
function framingBy(name: string | undefined, value: string): Framing | undefined {
  if (name === 'transfer-encoding') return value.toLowerCase() === 'chunked' ? CHUNKED : undefined
  return LENGTH.test(value) ? { kind: 'length', bytes: Number(value) } : undefined
}

/** All values of a header; `name` in lower case. */
export function valuesOf(headers: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) values.push(headers[at + 1] ?? '')
  }
  return values
}

/** The first value of a header; `name` in lower case. */
export function firstValue(headers: readonly string[], name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1]
  return undefined
}
