/**
 * Hands on the body of a response part by part as it arrives, unpacked. The limit counts packed and
 * unpacked bytes, each for itself, so a small packed body cannot grow without end.
 */
import type { IncomingMessage } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { BodyFailure } from './response-body.ts'
import { describeUnknownEncoding, describeUnpackError } from './unreadable.ts'

type Unpacker = ReturnType<typeof createGunzip>

const UNPACKERS: { readonly [encoding: string]: () => Unpacker } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export type StreamReader = {
  /** All values of Content-Encoding. */
  readonly encoding: string
  readonly bytesMax: number
  /** Called with the number of bytes of each part as it arrived. */
  readonly onArrived: (bytes: number) => void
  /** False if no more parts are wanted. */
  readonly onPart: (part: Uint8Array) => boolean
  /** Called once. The end is undefined after the last part. */
  readonly onEnd: (end: StreamEnd | undefined) => void
}

/** `enough`: the reader wanted no more. `broken`: the connection ended within the body. */
export type StreamEnd = BodyFailure | 'broken' | 'enough'

/** Never throws. */
export function unpackStream(response: IncomingMessage, reader: StreamReader): void {
  const name = reader.encoding.toLowerCase()
  const isPlain = name === '' || name === 'identity'
  const make = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined
  if (!isPlain && make === undefined) {
    reader.onEnd(describeUnknownEncoding(reader.encoding))
    return
  }
  const unpacker = make?.()
  let isOver = false
  let arrived = 0
  const end = (why?: StreamEnd) => {
    if (isOver) return
    isOver = true
    unpacker?.destroy()
    reader.onEnd(why)
  }
  const hand = countParts(reader, end, () => isOver)
  response.on('error', () => end('broken'))
  response.on('data', (part: Buffer) => {
    reader.onArrived(part.length)
    arrived += part.length
    if (isOver) return
    if (arrived > reader.bytesMax) end('too_large')
    else if (unpacker === undefined) hand(part)
    else unpacker.write(part)
  })
  response.on('end', () => (unpacker === undefined ? end() : unpacker.end()))
  unpacker?.on('data', hand)
  unpacker?.on('end', () => end())
  unpacker?.on('error', () => end(describeUnpackError(reader.encoding)))
}

function countParts(
  { bytesMax, onPart }: StreamReader,
  end: (why: StreamEnd) => void,
  isOver: () => boolean,
): (part: Buffer) => void {
  let handed = 0
  return (part) => {
    if (isOver()) return
    handed += part.length
    if (handed > bytesMax) end('too_large')
    else if (!onPart(part)) end('enough')
  }
}
