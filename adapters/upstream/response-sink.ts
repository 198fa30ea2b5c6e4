/**
 * Where the bytes of a body go: kept as they are, unpacked as they come, or dropped. Holds the cap
 * for what arrives and for what it unpacks to, whatever the headers promise.
 */
import { collected } from './body-parts.ts'
import type { Sink, SinkFault } from './body-sink.ts'
import { valuesOf } from './response-head.ts'
import { UNPACKERS, unpacked } from './unpack.ts'

/** `onFault` hears of a fault that shows while more bytes are on their way. */
export function sinkFor(
  headers: readonly string[],
  bytesMax: number,
  onFault: (fault: SinkFault) => void,
): Sink {
  const encodings = valuesOf(headers, 'content-encoding')
  if (encodings.length === 0) return plain(bytesMax)
  const encoding = encodings.join(', ').toLowerCase()
  if (PLAIN.has(encoding)) return plain(bytesMax)
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  return unpacker === undefined ? UNKNOWN : unpacked(unpacker, bytesMax, onFault)
}

/** What an answer that is not packed says of itself. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity'])

function plain(bytesMax: number): Sink {
  const parts = collected(bytesMax)
  return {
    add: (part) => (parts.add(part) ? undefined : 'too_large'),
    whole: () => parts.take(),
    drop: () => undefined,
  }
}

const NOTHING = Buffer.alloc(0)

/** A HEAD and a 204 name an encoding and bring no bytes: nothing is wrong with them. */
const UNKNOWN: Sink = {
  add: (part) => (part.length > 0 ? 'unknown_encoding' : undefined),
  whole: () => NOTHING,
  drop: () => undefined,
}

/** For what nobody reads. */
export const NOWHERE: Sink = { add: () => undefined, whole: () => NOTHING, drop: () => undefined }
