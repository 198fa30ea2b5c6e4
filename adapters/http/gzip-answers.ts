/**
 * Packs whole answers for clients that take gzip, in deployed functions alone: AWS bills each byte that leaves, and a
 * client of the twin is on the same machine. Event streams are never packed: their events would wait for one another. Bound by
 * RFC 9110 section 12.5.3 (Accept-Encoding) and ADR 0081.
 */
import { createGzip, gzipSync } from 'node:zlib'
import { acceptsGzip } from './accept.ts'
import type { ResponseStream, StreamingHandler } from './events.ts'
import { headerOf } from './request.ts'
import { TEXT_PART_UNITS, textParts, writeParts } from './text-parts.ts'

/** UTF-16 units. A shorter answer is a packet either way. */
export const GZIP_FROM_UNITS = 600
/** Up to here at once, in less than a millisecond of a core; a longer text in parts, beside other work. */
export const GZIP_AT_ONCE_UNITS_MAX = 32_768
/** Packs JSON of tools nearly as well as 6 does, in two thirds of the time. */
const LEVEL = 4

export const GZIP_HEADERS = { 'content-encoding': 'gzip' } as const

const taking = new WeakSet<ResponseStream>()

export function gzipAnswers(handler: StreamingHandler): StreamingHandler {
  return (event, out, context) => {
    if (acceptsGzip(headerOf(event, 'accept-encoding'))) taking.add(out)
    return handler(event, out, context)
  }
}

/** `out` as the handler got it, before its response has begun. */
export function isGzipped(out: ResponseStream, text: string): boolean {
  return text.length >= GZIP_FROM_UNITS && taking.has(out)
}

/** Writes and ends `out`, whose head says {@link GZIP_HEADERS}. */
export function writeGzipped(out: ResponseStream, text: string): void {
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
