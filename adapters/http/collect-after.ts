/**
 * Collects garbage after an invocation that left much of it. Lambda freezes a process before V8
 * collects, and V8 does not know how little memory the function has. Without this file, the garbage
 * of each large answer would add up (docs/design/functions.md#memory).
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { StreamingHandler } from './events.ts'

/** Growth that starts a collection: one large answer leaves more, a small call far less. */
const GARBAGE_BYTES_MAX = 16_777_216

/**
 * The collection takes about 50 ms of a core after the answer was sent; then the invocation ends.
 */
export function collectGarbageAfter(handler: StreamingHandler): StreamingHandler {
  let leastBytes = Number.POSITIVE_INFINITY
  return async (event, out, context) => {
    try {
      await handler(event, out, context)
    } finally {
      const bytes = readBytesInUse()
      leastBytes = Math.min(leastBytes, bytes)
      if (bytes - leastBytes > GARBAGE_BYTES_MAX) {
        collect()
        // What remains is in use, such as a list of tools, and starts no further collection.
        leastBytes = readBytesInUse()
      }
    }
  }
}

/** Bytes of the heap and of buffers outside it, with garbage. */
function readBytesInUse(): number {
  const { external_memory: outside, total_physical_size: heap } = getHeapStatistics()
  return outside + heap
}

type Collect = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

let gc: Collect | undefined

/** `last-resort` also returns empty pages to the system. */
function collect(): void {
  gc ??= exposeGc()
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function exposeGc(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
