/**
 * Memory and timeout of each function, as plain data: the stacks deploy it and `npm run cost`
 * prices it. Functions wait far more than they compute, so memory is sized for content, not for
 * speed: WAITING_MB is the least in which no response ends the process (ADR 0103, `npm run
 * bench:size`). Also the environment variables by which Node and the C library use that memory;
 * tests and benches start functions with the same variables (docs/design/functions.md#memory).
 */
import { STAGE_SETTINGS } from '../core/settings/table.ts'
import type { FunctionName } from './doors.ts'
import type { Stage } from './stage.ts'

/**
 * Memory of the doors that make calls or wait for one; also the least that a stage may set with
 * `callMemoryMb`.
 */
export const WAITING_MB = STAGE_SETTINGS.callMemoryMb.min
/**
 * Memory of a door that holds streams: it uses 64 MB at most, and the rest buys CPU for its polls
 * (docs/design/functions.md#memory).
 */
const STREAMING_MB = 192

/** In doors that make calls or wait for one, `callMemoryMb` of the stage replaces `memoryMb`. */
export type DoorSize = { readonly memoryMb: number; readonly timeoutSec: number }

export const DOOR_SIZES: { readonly [F in FunctionName]: DoorSize } = {
  // The timeout is Lambda's maximum. A stream ends itself at the first quiet moment after minute
  // 13.
  sse: { memoryMb: STREAMING_MB, timeoutSec: 900 },
  // The timeout covers the call's 15 s, outcome and release, the reply, and a void of three requests
  // where the reply came second; each takes up to 6 s on a slow store.
  messages: { memoryMb: WAITING_MB, timeoutSec: 60 },
  // As for sse: a listen stream ends after minute 13, and a person may take two minutes to answer.
  // Calls are made here, as in execute.
  mcp: { memoryMb: WAITING_MB, timeoutSec: 900 },
  // The timeout covers the call's 15 s, then outcome and release, which take up to 6 s each on a
  // slow store.
  execute: { memoryMb: WAITING_MB, timeoutSec: 30 },
  // API Gateway waits 29 s. A pushed tool list of 3 MB is parsed and compressed.
  admin: { memoryMb: 512, timeoutSec: 29 },
  // The next run starts after 60 s and continues where this one stopped; 40 s of a run are for
  // holds. With the CPU of this memory a run visits 10,000 users in some 3 s.
  sweep: { memoryMb: 1024, timeoutSec: 55 },
  // Closing an hour reads its pages, which are some MB at 100 calls a second.
  usage: { memoryMb: 512, timeoutSec: 120 },
  // As for mcp, whose calls wait here; an exchange ends by the deadline of its call.
  caller: { memoryMb: WAITING_MB, timeoutSec: 900 },
}

/**
 * Doors whose memory grows with the responses of upstreams. A stream of sse takes replies of 1 MB
 * at most.
 */
const CALLING_DOORS: ReadonlySet<FunctionName> = new Set(['messages', 'mcp', 'execute', 'caller'])

/** Returns the memory of a door in a stage. */
export function getMemoryMb(
  { callMemoryMb }: Pick<Stage, 'callMemoryMb'>,
  door: FunctionName,
): number {
  return CALLING_DOORS.has(door) ? callMemoryMb : DOOR_SIZES[door].memoryMb
}

/** The doors that wait. The other doors have memory to spare, and no reason to give it back. */
const WAITING_DOORS: ReadonlySet<FunctionName> = new Set([
  'sse',
  'messages',
  'mcp',
  'execute',
  'caller',
])

/**
 * The share of the function's memory for objects of JavaScript. The rest is for buffers, which V8
 * does not count here, for the thread that converts HTML, and for Node itself, some 55 MB.
 */
const HEAP_SHARE = 0.625

/** Returns the variables of a door; none for a door that does not wait. */
export function toProcessEnvironment(
  stage: Pick<Stage, 'callMemoryMb'>,
  door: FunctionName,
): { readonly [name: string]: string } {
  if (!WAITING_DOORS.has(door)) return {}
  const heapMb = Math.floor(getMemoryMb(stage, door) * HEAP_SHARE)
  return {
    // If either of the two options is set, Lambda's start script adds none of its own.
    NODE_OPTIONS: `--max-semi-space-size=2 --max-old-space-size=${heapMb}`,
    // One arena, and large blocks in mappings of their own; otherwise freed buffers stay with the
    // process.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_TRIM_THRESHOLD_: '131072',
  }
}
