/**
 * An upstream's answer, unpacked. The cap holds for what it unpacks to, whatever the headers
 * promise. Never throws: what is wrong with an answer is an answer.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { parseMediaType } from '../../core/call/media-type.ts'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { valuesOf } from './response-head.ts'
import type { Received } from './response-reader.ts'
import { errorCode } from './unreachable.ts'

type Unpack = (packed: Buffer, limits: { maxOutputLength: number }) => Promise<Uint8Array>

/** `deflate` is never asked for (servers disagree on what it means) but taken when it is sent. */
const UNPACKERS: { readonly [encoding: string]: Unpack } = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** What an answer that is not packed says of itself. */
const PLAIN = new Set(['', 'identity'])

export async function readResponse(received: Received, bytesMax: number): Promise<UpstreamAnswer> {
  const { body, headers } = received
  const encoding = valuesOf(headers, 'content-encoding').join(', ').toLowerCase()
  // A HEAD and a 204 name an encoding and bring no bytes: nothing to unpack.
  if (body.length === 0 || PLAIN.has(encoding)) return answered(received, body)
  const unpack = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  if (unpack === undefined) return unreachable('sent its answer in an encoding not asked for')
  try {
    return answered(received, await unpack(body, { maxOutputLength: bytesMax }))
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too_large', bytesMax }
    return unreachable('sent a body that does not unpack')
  }
}

function answered({ headers, status }: Received, body: Uint8Array): UpstreamAnswer {
  const declared = valuesOf(headers, 'content-type')[0] ?? ''
  // Broken parameters are common and harmless; the type in front of them is what counts.
  const type = parseMediaType(declared) ?? parseMediaType(declared.split(';')[0] ?? '')
  const { mediaType = '', charset = 'utf-8' } = type ?? {}
  return { kind: 'answered', response: { status, mediaType, charset, body } }
}

function unreachable(detail: string): UpstreamAnswer {
  return { kind: 'unreachable', detail }
}
