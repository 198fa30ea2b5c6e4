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

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
/** Matches the white space around a value too: a pattern that excludes it takes quadratic time. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/
/** Fifteen digits: every such number is exact. */
const LENGTH = /^\d{1,15}$/

/** `text` (latin1) ends before the empty line. Undefined: not HTTP. */
export function readHead(text: string): ResponseHead | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const started = STATUS_LINE.exec(first)
  if (started === null) return undefined
  const headers: string[] = []
  for (const line of lines) {
    if (!addHeader(line, headers)) return undefined
  }
  const isClosing = valuesOf(headers, 'connection').some((value) => /\bclose\b/i.test(value))
  const keepsAlive = started[1] === '1' && !isClosing
  return { status: Number(started[2]), headers, keepsAlive }
}

/** Adds name and value of one line (without its end) to `headers`. False: the line is no header. */
export function addHeader(line: string, headers: string[]): boolean {
  const read = HEADER_LINE.exec(line)
  if (read === null) return false
  const name = (read[1] ?? '').toLowerCase()
  const value = read[2] ?? ''
  // Node's parser reads a tab after `chunked` as a part of it; other parsers do not.
  if (value.includes('\t') && FRAMING.has(name)) return false
  headers.push(name, trimmed(value))
  return true
}

const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])

/** Removes spaces and tabs only: `trim` would remove a byte of 0xA0 too. */
function trimmed(value: string): string {
  let from = 0
  let to = value.length
  while (from < to && isSpace(value.charCodeAt(from))) from += 1
  while (to > from && isSpace(value.charCodeAt(to - 1))) to -= 1
  return value.slice(from, to)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Undefined where the length of the body is ambiguous. */
export function framingOf(head: ResponseHead, method: string): Framing | undefined {
  const lengths = valuesOf(head.headers, 'content-length')
  const codings = valuesOf(head.headers, 'transfer-encoding')
  if (codings.length > 0 && (lengths.length > 0 || !isChunked(codings))) return undefined
  if (lengths.length > 1 || !lengths.every((length) => LENGTH.test(length))) return undefined
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return NO_BODY
  if (codings.length > 0) return { kind: 'chunked' }
  const [length] = lengths
  return length === undefined ? { kind: 'until_close' } : { kind: 'length', bytes: Number(length) }
}

const NO_BODY: Framing = { kind: 'length', bytes: 0 }

/** A body in another coding could not be read, and our request allows none (no TE). */
function isChunked(codings: readonly string[]): boolean {
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
}

/** All values of a header; `name` in lower case. */
export function valuesOf(headers: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) values.push(headers[at + 1] ?? '')
  }
  return values
}
