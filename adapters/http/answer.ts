/**
 * Whole answers on a response stream. Each promise resolves when the bytes were handed over or the
 * peer has left. It never rejects, since the steps after an answer must run in both cases. Deployed
 * functions gzip whole answers for clients that accept gzip, because AWS bills each byte that is
 * sent; a client of the twin is on the same machine. Event streams are never gzipped: their events
 * would wait for one another. Bound by RFC 9110 section 12.5.3 (Accept-Encoding) and docs/design/functions.md#packed-answers. A
 * long text is written part by part: as a whole it would be in memory twice more while it is sent,
 * once flattened and once as bytes (docs/design/functions.md#memory).
 */
import { createGzip, gzipSync } from 'node:zlib'
import { acceptsGzip } from './accept.ts'
import type { ResponseStream, StreamingHandler } from './events.ts'
import { type ResponseHeaders, startResponse } from './lambda-stream.ts'
import { findHeader } from './request.ts'

const NO_STORE = 'no-store'
/** Headers of every answer: no cache may store it, and no browser may guess its type. */
const COMMON_HEADERS: ResponseHeaders = {
  'cache-control': NO_STORE,
  'x-content-type-options': 'nosniff',
}

/** `headers` (lower-case names) may set another content-type than application/json. */
export function answerJson(
  out: ResponseStream,
  status: number,
  body: object,
  headers: ResponseHeaders = {},
): Promise<void> {
  return answerText(out, status, JSON.stringify(body), {
    'content-type': 'application/json; charset=utf-8',
    ...headers,
  })
}

export function answerEmpty(
  out: ResponseStream,
  status: number,
  headers: ResponseHeaders = {},
): Promise<void> {
  return answerText(out, status, '', headers)
}

/** An answer that a cache may store is never gzipped: it would need an ETag for each encoding. */
export function answerText(
  out: ResponseStream,
  status: number,
  text: string,
  headers: ResponseHeaders,
): Promise<void> {
  const all = { ...COMMON_HEADERS, ...headers }
  const isPacked = all['cache-control'] === NO_STORE && isGzipped(out, text)
  const answer = startResponse(out, {
    statusCode: status,
    headers: isPacked ? { ...all, ...GZIP_HEADERS } : all,
  })
  const done = waitUntilSent(answer)
  if (isPacked) writeGzipped(answer, text)
  else writeParts(answer, splitText(text))
  return done
}

/** Resolves on finish, close or error, whichever comes first. */
function waitUntilSent(out: ResponseStream): Promise<void> {
  if (out.writableFinished || out.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    out.once('finish', () => resolve())
    out.once('close', () => resolve())
    // `on`, not `once`: a second error must not become an uncaught one.
    out.on('error', () => resolve())
  })
}

/** UTF-16 units of a part: few answers are longer, and one part takes little memory. */
export const TEXT_PART_UNITS = 262_144

/** UTF-16 units from which an answer is gzipped; a shorter one fits a packet either way. */
export const GZIP_UNITS_MIN = 600
/**
 * UTF-16 units that are gzipped at once, in under 1 ms of CPU; a longer text is gzipped in parts.
 */
export const GZIP_AT_ONCE_UNITS_MAX = 32_768
/** The level of gzip: for JSON of tools nearly as small as level 6, in two thirds of the time. */
const GZIP_LEVEL = 4

const GZIP_HEADERS = { 'content-encoding': 'gzip' } as const

const acceptingGzip = new WeakSet<ResponseStream>()

/** Gzips the handler's whole answers for clients that accept gzip. */
export function gzipAnswers(handler: StreamingHandler): StreamingHandler {
  return (event, out, context) => {
    if (acceptsGzip(findHeader(event, 'accept-encoding'))) acceptingGzip.add(out)
    return handler(event, out, context)
  }
}

/** `out` is the handler's stream, before its response begins. */
function isGzipped(out: ResponseStream, text: string): boolean {
  return text.length >= GZIP_UNITS_MIN && acceptingGzip.has(out)
}

/** Writes and ends `out`, whose head includes {@link GZIP_HEADERS}. */
function writeGzipped(out: ResponseStream, text: string): void {
  if (out.destroyed) return
  if (text.length <= GZIP_AT_ONCE_UNITS_MAX) {
    out.write(gzipSync(text, { level: GZIP_LEVEL }))
    out.end()
    return
  }
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES })
  gzip.on('data', (bytes: Uint8Array) => {
    if (out.write(bytes)) return
    gzip.pause()
    out.once('drain', () => gzip.resume())
  })
  gzip.once('end', () => out.end())
  out.once('close', () => gzip.destroy())
  writeParts(gzip, splitText(text))
}

/** Bytes of a gzipped chunk: about the size of a gzipped part of JSON. */
const CHUNK_BYTES = TEXT_PART_UNITS / 4

/**
 * Splits a text into one or more parts: even an empty text needs a write, which sends the status.
 */
export function splitText(text: string): readonly string[] {
  if (text.length <= TEXT_PART_UNITS) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = findPartEnd(text, at)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** Never between the halves of a surrogate pair: each half would be written as U+FFFD. */
function findPartEnd(text: string, at: number): number {
  const end = at + TEXT_PART_UNITS
  if (end >= text.length) return text.length
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

type PartStream = Pick<ResponseStream, 'destroyed' | 'end' | 'once' | 'write'>

/**
 * Writes the parts and the end. The first part is written at once, even if it is empty: a write
 * sends the status, `end` alone does not. Each further part waits until the peer has read those
 * before it.
 */
function writeParts(out: PartStream, parts: readonly string[], first = 0): void {
  for (let at = first; at < parts.length; at += 1) {
    if (out.destroyed) return
    const isTaken = out.write(parts[at] ?? '')
    if (isTaken || at + 1 === parts.length) continue
    return void out.once('drain', () => writeParts(out, parts, at + 1))
  }
  out.end()
}
