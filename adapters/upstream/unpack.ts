/**
 * Unpacks a body off the event loop while it arrives. Counts bytes in and bytes out: past the cap
 * the unpacking ends at once, whatever remains of the packed bytes.
 */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { collected } from './body-parts.ts'
import type { Sink, SinkFault } from './body-sink.ts'
import type { Unreadable } from './unreadable.ts'

type Unpacker = () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>

/** `deflate` is never asked for (servers disagree on its meaning), but taken when it is sent. */
export const UNPACKERS: { readonly [encoding: string]: Unpacker } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * The bytes handed over at a time: each hand-over costs a turn of a thread. Most bodies are
 * shorter.
 */
const FEED_BYTES = 65_536

type UnpackTerms = {
  readonly bytesMax: number
  /** The fault of a body that does not unpack. */
  readonly garbled: Unreadable
}

export function unpacked(
  unpacker: Unpacker,
  terms: UnpackTerms,
  onFault: (fault: SinkFault) => void,
): Sink {
  const { bytesMax } = terms
  const waiting = collected(bytesMax)
  let bytes = 0
  let unpacking: UnpackState | undefined
  let isBusy = false

  const started = (): UnpackState => {
    unpacking ??= unpackingOf(unpacker(), terms, onFault)
    return unpacking
  }
  const feed = () => {
    if (isBusy || waiting.bytes() < FEED_BYTES) return
    isBusy = true
    started().write(waiting.take(), () => {
      isBusy = false
      feed()
    })
  }
  return {
    add: (part) => {
      bytes += part.length
      if (bytes > bytesMax || !waiting.add(part)) return 'too_large'
      feed()
      return undefined
    },
    whole: () => (bytes === 0 ? waiting.take() : started().end(waiting.take())),
    drop: () => unpacking?.drop(),
  }
}

type UnpackState = {
  write(packed: Buffer, done: () => void): void
  end(packed: Buffer): Promise<Buffer | SinkFault>
  drop(): void
}

function unpackingOf(
  stream: ReturnType<Unpacker>,
  { bytesMax, garbled }: UnpackTerms,
  onFault: (fault: SinkFault) => void,
): UnpackState {
  const parts = collected(bytesMax)
  const { promise, resolve } = Promise.withResolvers<Buffer | SinkFault>()
  let isOver = false
  const finish = (body: Buffer | SinkFault) => {
    isOver = true
    resolve(body)
  }
  const fail = (fault: SinkFault) => {
    if (isOver) return
    finish(fault)
    stream.destroy()
    onFault(fault)
  }
  stream.on('data', (part: Buffer) => {
    if (!isOver && !parts.add(part)) fail('too_large')
  })
  stream.on('end', () => finish(parts.take()))
  stream.on('error', () => fail(garbled))
  return {
    // Bytes after the end of the packed stream do not belong to the body.
    write: (packed, done) => void (isOver ? done() : stream.write(packed, () => done())),
    end: (packed) => {
      if (!isOver) stream.end(packed)
      return promise
    },
    drop: () => void stream.destroy(),
  }
}
