/**
 * An upstream's answer as bytes, unpacked. The cap holds for what arrives and for what it unpacks
 * to, whatever the headers promise. Never throws: what is wrong with an answer is an answer.
 */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { parseMediaType } from '../../core/call/media-type.ts'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { errorCode } from './unreachable.ts'

type Unpack = (packed: Buffer, limits: { maxOutputLength: number }) => Promise<Uint8Array>

/** `deflate` is never asked for (servers disagree on what it means) but taken when it is sent. */
const UNPACKERS: { readonly [encoding: string]: Unpack } = {
  '': async (plain) => plain,
  identity: async (plain) => plain,
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

export async function readResponse(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<UpstreamAnswer> {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  try {
    const packed = await received(incoming, bytesMax)
    if (packed === undefined) return { kind: 'too_large', bytesMax }
    // A HEAD and a 204 name an encoding and bring no bytes: nothing to unpack.
    if (packed.length === 0) return answered(incoming, packed)
    if (unpack === undefined) return unreachable('sent its answer in an encoding not asked for')
    return answered(incoming, await unpack(packed, { maxOutputLength: bytesMax }))
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too_large', bytesMax }
    return unreachable(whyBroken(cause))
  }
}

/**
 * Undefined past the cap, and then the socket is gone. By events: an async iterator over so small a
 * thing costs as much as parsing it.
 */
function received(incoming: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let total = 0
    incoming.on('data', (chunk: Buffer) => {
      total += chunk.length
      chunks.push(chunk)
      if (total <= bytesMax) return
      resolve(undefined)
      incoming.destroy()
    })
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    // `on`: a second error after the first must not become an uncaught one.
    incoming.on('error', reject)
    incoming.once('close', () => {
      if (!incoming.readableEnded) reject(new Error('closed before its end'))
    })
  })
}

function answered(incoming: IncomingMessage, body: Uint8Array): UpstreamAnswer {
  const declared = incoming.headers['content-type'] ?? ''
  // Broken parameters are common and harmless; the type in front of them is what counts.
  const type = parseMediaType(declared) ?? parseMediaType(declared.split(';')[0] ?? '')
  const { mediaType = '', charset = 'utf-8' } = type ?? {}
  return {
    kind: 'answered',
    response: { status: incoming.statusCode ?? 0, mediaType, charset, body },
  }
}

function unreachable(detail: string): UpstreamAnswer {
  return { kind: 'unreachable', detail }
}

function whyBroken(cause: unknown): string {
  const code = errorCode(cause)
  // zlib says Z_DATA_ERROR, Z_BUF_ERROR …, brotli ERR__ERROR_FORMAT_…
  const packing = code.startsWith('Z_') || code.startsWith('ERR__') || code.startsWith('ERR_BROTLI')
  return packing ? 'sent a body that does not unpack' : 'broke off in the middle of its answer'
}
