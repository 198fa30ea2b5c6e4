/**
 * Whole answers on a response stream. Each promise resolves once the bytes were handed over or the
 * peer has left. It never rejects, since the steps after an answer must run either way.
 * Deployed functions pack whole answers for clients that take gzip: AWS bills each byte that leaves, and a client of the twin
 * is on the same machine. Event streams are never packed: their events would wait for one another. Bound by RFC 9110
 * section 12.5.3 (Accept-Encoding) and ADR 0081.
 * A long text is written part by part: written whole it is in memory twice more while it leaves, once flattened and once as
 * bytes, and a function has little of it (ADR 0076).
 */
import { createGzip, gzipSync } from 'node:zlib'
import { acceptsGzip } from './accept.ts'
import type { ResponseStream, StreamingHandler } from './events.ts'
import { type ResponseHeaders, startResponse } from './lambda-stream.ts'
import { headerOf } from './request.ts'

const NO_STORE = 'no-store'
/** On every answer: no cache may store it, and no browser may guess its type. */
const ALWAYS: ResponseHeaders = {
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

/** An answer that a cache may store is never packed: its copies would need a tag for each encoding. */
export function answerText(
  out: ResponseStream,
  status: number,
  text: string,
  headers: ResponseHeaders,
): Promise<void> {
  const all = { ...ALWAYS, ...headers }
  const gzips = all['cache-control'] === NO_STORE && isGzipped(out, text)
  const answer = startResponse(out, {
    statusCode: status,
    headers: gzips ? { ...all, ...GZIP_HEADERS } : all,
  })
  const done = handedOver(answer)
  if (gzips) writeGzipped(answer, text)
  else writeParts(answer, textParts(text))
  return done
}

/** Resolves on finish, close or error, whichever comes first. */
function handedOver(out: ResponseStream): Promise<void> {
  if (out.writableFinished || out.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    out.once('finish', () => resolve())
    out.once('close', () => resolve())
    // `on`, not `once`: a second error must not become an uncaught one.
    out.on('error', () => resolve())
  })
}

/** UTF-16 units: so large that few answers have a second part, so small that one weighs nothing. */
export const TEXT_PART_UNITS = 262_144

/** UTF-16 units. A shorter answer is a packet either way. */
export const GZIP_FROM_UNITS = 600
/** Up to here at once, in less than a millisecond of a core; a longer text in parts, beside other work. */
export const GZIP_AT_ONCE_UNITS_MAX = 32_768
/** Packs JSON of tools nearly as well as 6 does, in two thirds of the time. */
const LEVEL = 4

const GZIP_HEADERS = { 'content-encoding': 'gzip' } as const

const taking = new WeakSet<ResponseStream>()

export function gzipAnswers(handler: StreamingHandler): StreamingHandler {
  return (event, out, context) => {
    if (acceptsGzip(headerOf(event, 'accept-encoding'))) taking.add(out)
    return handler(event, out, context)
  }
}

/** `out` as the handler got it, before its response has begun. */
function isGzipped(out: ResponseStream, text: string): boolean {
  return text.length >= GZIP_FROM_UNITS && taking.has(out)
}

/** Writes and ends `out`, whose head says {@link GZIP_HEADERS}. */
function writeGzipped(out: ResponseStream, text: string): void {
  if (out.destroyed) return
  if (text.length <= GZIP_AT_ONCE_UNITS_MAX) {
    out.write(gzipSync(text, { level: LEVEL }))
    out.end()
    return
  }
  const gzip = createGzip({ level: LEVEL, chunkSize: CHUNK_BYTES })
  gzip.on('data', (bytes: Uint8Array) => {
    if (out.write(bytes)) return
    gzip.pause()
    out.once('drain', () => gzip.resume())
  })
  gzip.once('end', () => out.end())
  out.once('close', () => gzip.destroy())
  writeParts(gzip, textParts(text))
}

/** Of packed bytes: what a part of JSON packs to. */
const CHUNK_BYTES = TEXT_PART_UNITS / 4

/** At least one part, since a status leaves with a write. */
export function textParts(text: string): readonly string[] {
  if (text.length <= TEXT_PART_UNITS) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at)
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** Not between the halves of a surrogate pair: each would be written as U+FFFD. */
function partEnd(text: string, at: number): number {
  const end = at + TEXT_PART_UNITS
  if (end >= text.length) return text.length
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

type PartStream = Pick<ResponseStream, 'destroyed' | 'end' | 'once' | 'write'>

/**
 * Writes the parts and the end. The first part is written at once, even when it is empty: the status leaves with a write,
 * never with `end` alone. Each further part waits until the peer has taken those before it.
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
