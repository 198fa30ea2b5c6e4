/**
 * Takes the bytes of a body: stores them, unpacks them as they arrive, or drops them. Applies the
 * cap to arriving bytes and to unpacked bytes, whatever the headers promise.
 */
import { collected } from './body-parts.ts'
import type { Sink, SinkFault } from './body-sink.ts'
import { firstValue, valuesOf } from './response-head.ts'
import { UNPACKERS, unpacked } from './unpack.ts'
import { notUnpackable, type Unreadable, unknownEncoding } from './unreadable.ts'

/** `onFault` receives a fault that shows while more bytes arrive. */
export function sinkFor(
  headers: readonly string[],
  bytesMax: number,
  onFault: (fault: SinkFault) => void,
): Sink {
  if (firstValue(headers, 'content-encoding') === undefined) return plain(bytesMax)
  const encoding = valuesOf(headers, 'content-encoding').join(', ').toLowerCase()
  if (PLAIN.has(encoding)) return plain(bytesMax)
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined
  return unpacker === undefined
    ? unknown(unknownEncoding(headers))
    : unpacked(unpacker, { bytesMax, garbled: notUnpackable(headers) }, onFault)
}

/** The content-encodings of a plain answer. */
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

/** An answer to HEAD and a 204 may name an unknown encoding, since they bring no bytes. */
function unknown(fault: Unreadable): Sink {
  return {
    add: (part) => (part.length > 0 ? fault : undefined),
    whole: () => NOTHING,
    drop: () => undefined,
  }
}

/** For bodies without a reader. */
export const NOWHERE: Sink = { add: () => undefined, whole: () => NOTHING, drop: () => undefined }
