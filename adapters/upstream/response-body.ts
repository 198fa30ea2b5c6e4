/**
 * Collects a response's body and unpacks it in a thread. The limit applies before and after that.
 */
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { describeUnknownEncoding, describeUnpackError, type Unreadable } from './unreadable.ts'

export type BodyFailure = 'too_large' | Unreadable

export type ResponseBody = {
  /** Adds a part; returns why it was refused, or undefined. */
  add(part: Buffer): BodyFailure | undefined
  /** The unpacked body; called after the last part. */
  whole(): Buffer | Promise<Buffer | BodyFailure>
}

/** `deflate` is never requested (servers disagree on its meaning), but accepted if it is sent. */
const UNPACKERS: { readonly [encoding: string]: typeof gunzip } = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: brotliDecompress,
}

/**
 * `encoding`: all values of Content-Encoding. `bytesMax`: limit of the body, packed and unpacked.
 */
export function makeBodyCollector(encoding: string, bytesMax: number): ResponseBody {
  const name = encoding.toLowerCase()
  const isPlain = name === '' || name === 'identity'
  const unpack = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined
  let bytes = Buffer.alloc(0)
  let used = 0

  return {
    add: (part) => {
      // Refused only here: an answer without bytes (to HEAD, or 204) may name an unknown encoding.
      if (!isPlain && unpack === undefined) return describeUnknownEncoding(encoding)
      if (used + part.length > bytesMax) return 'too_large'
      // Parts are copied: a view costs over a hundred bytes more, and a hostile upstream sends
      // single bytes.
      if (used + part.length > bytes.length) {
        const wanted = Math.max(used + part.length, 2 * bytes.length)
        const grown = Buffer.allocUnsafe(Math.min(wanted, bytesMax))
        bytes.copy(grown, 0, 0, used)
        bytes = grown
      }
      used += part.copy(bytes, used)
      return undefined
    },
    whole: () => {
      const body = bytes.subarray(0, used)
      if (unpack === undefined || used === 0) return body
      const { promise, resolve } = Promise.withResolvers<Buffer | BodyFailure>()
      unpack(body, { maxOutputLength: bytesMax }, (cause, unpacked) => {
        if (cause === null) resolve(unpacked)
        else resolve(isTooLarge(cause) ? 'too_large' : describeUnpackError(encoding))
      })
      return promise
    },
  }
}

function isTooLarge(cause: Error): boolean {
  return 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
}
