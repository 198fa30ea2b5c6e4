/**
 * How the process of a function uses its memory, as environment variables that Node and the C library read; nothing of ours
 * reads them. Tests and benches start functions with the same. Measured in ADR 0076.
 */
import { memoryMbOf } from './door-sizes.ts'
import type { Door } from './doors.ts'
import type { Stage } from './stage.ts'

/** The doors that wait: the others have memory to spare, and no reason to give it back. */
const WAITING: ReadonlySet<Door> = new Set(['sse', 'messages', 'mcp', 'execute'])

/**
 * Of the function's memory, for the objects of JavaScript. The rest is for buffers, which V8 does not count here, for the
 * thread that converts HTML, and for Node itself, some 55 MB.
 */
const HEAP_SHARE = 0.625

export function processEnvironment(
  stage: Pick<Stage, 'callMemoryMb'>,
  door: Door,
): { readonly [name: string]: string } {
  if (!WAITING.has(door)) return {}
  const heapMb = Math.floor(memoryMbOf(stage, door) * HEAP_SHARE)
  return {
    // With either of the two here, Lambda's start script adds none of its own.
    NODE_OPTIONS: `--max-semi-space-size=2 --max-old-space-size=${heapMb}`,
    // One arena, and large blocks in mappings of their own: else freed buffers stay with the process.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  }
}
