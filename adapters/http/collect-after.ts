/**
 * Collects garbage after an invocation that left much of it. Lambda freezes a process before V8 would, and V8 does not know
 * how little memory the function has: without this, each large answer comes on top of what the one before left (ADR 0076).
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { StreamingHandler } from './events.ts'

/** One large answer leaves more; small calls leave so much in hundreds of invocations. */
const LEFT_BYTES_MAX = 16_777_216

/** The invocation ends after the collection, which takes some 50 ms of a whole core; its answer has left before. */
export function collectAfter(handler: StreamingHandler): StreamingHandler {
  let leastBytes = Number.POSITIVE_INFINITY
  return async (event, out, context) => {
    try {
      await handler(event, out, context)
    } finally {
      const bytes = bytesInUse()
      leastBytes = Math.min(leastBytes, bytes)
      if (bytes - leastBytes > LEFT_BYTES_MAX) {
        collect()
        // What is left is in use, such as a list of tools: not to be looked for again each time.
        leastBytes = bytesInUse()
      }
    }
  }
}

/** Of the heap and of buffers outside it, garbage included. */
function bytesInUse(): number {
  const { external_memory: outside, total_physical_size: heap } = getHeapStatistics()
  return outside + heap
}

type Collect = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

let gc: Collect | undefined

/** `last-resort`: also gives pages that are empty then back to the system. */
function collect(): void {
  gc ??= exposedGc()
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function exposedGc(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
