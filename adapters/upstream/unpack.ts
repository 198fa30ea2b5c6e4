/**
 * A packed body, unpacked off the event loop while it arrives. Counts what comes in and what comes out:
 * past the cap the unpacking ends there and then, whatever more the packed bytes would have said.
 */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { collected } from './body-parts.ts'
import type { Sink, SinkFault } from './body-sink.ts'

type Unpacker = () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>

/** `deflate` is never asked for (servers disagree on what it means) but taken when it is sent. */
export const UNPACKERS: { readonly [encoding: string]: Unpacker } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Handed over at a time: each time costs a turn of a thread. Most bodies end before. */
const FEED_BYTES = 65_536

export function unpacked(
  unpacker: Unpacker,
  bytesMax: number,
  onFault: (fault: SinkFault) => void,
): Sink {
  const waiting = collected(bytesMax)
  let bytes = 0
  let unpacking: UnpackState | undefined
  let isBusy = false

  const started = (): UnpackState => {
    unpacking ??= unpackingOf(unpacker(), bytesMax, onFault)
    return unpacking
  }
  const feed = () => {
    if (isBusy || waiting.bytes < FEED_BYTES) return
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
  bytesMax: number,
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
  stream.on('error', () => fail('not_unpackable'))
  return {
    // Bytes behind the end of what was packed are no part of it.
    write: (packed, done) => void (isOver ? done() : stream.write(packed, () => done())),
    end: (packed) => {
      if (!isOver) stream.end(packed)
      return promise
    },
    drop: () => void stream.destroy(),
  }
}
