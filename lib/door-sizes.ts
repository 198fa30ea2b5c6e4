/**
 * Memory and timeout of each function, as plain data: the stacks deploy it and `npm run cost`
 * prices it. Functions wait far more than they compute, so memory is sized for content, not for
 * speed: WAITING_MB is the least in which no answer ends the process (ADR 0103, `npm run bench:size`).
 */
import { STAGE_SETTINGS } from '../core/settings/table.ts'
import type { Door } from './doors.ts'
import type { Stage } from './stage.ts'

/** Of the doors that make calls or wait for one; also the least that a stage may give with `callMemoryMb`. */
export const WAITING_MB = STAGE_SETTINGS.callMemoryMb.min
/** Of a door that holds streams: it peaks at 64 MB, and the rest buys CPU for its polls (ADR 0076). */
const STREAMING_MB = 192

/** `callMemoryMb` of the stage takes the place of `memoryMb` in the doors that make calls or wait for one. */
export type DoorSize = { readonly memoryMb: number; readonly timeoutSec: number }

export const DOOR_SIZES: { readonly [D in Door]: DoorSize } = {
  // Lambda's maximum. A stream ends itself at the first quiet moment after minute 13.
  sse: { memoryMb: STREAMING_MB, timeoutSec: 900 },
  // The call's 15 s, three tries to void (5 s each), and the reply's writes (6 s each at worst).
  messages: { memoryMb: WAITING_MB, timeoutSec: 45 },
  // As sse: a listen stream ends after minute 13, and a person may take two minutes to answer. Calls are made here, as in execute.
  mcp: { memoryMb: WAITING_MB, timeoutSec: 900 },
  // The call's 15 s, then outcome and release, which take up to 6 s each on a slow store.
  execute: { memoryMb: WAITING_MB, timeoutSec: 30 },
  // API Gateway waits 29 s. A pushed tool list of 3 MB is parsed and compressed.
  admin: { memoryMb: 512, timeoutSec: 29 },
  // The next run starts after 60 s and continues where this one stopped; 40 s of it are for holds. The memory's
  // CPU visits 10,000 users in some 3 s.
  sweep: { memoryMb: 1024, timeoutSec: 55 },
  // Closing an hour reads its pages, some MB at 100 calls a second.
  usage: { memoryMb: 512, timeoutSec: 120 },
}

/** Doors whose memory grows with the answers of upstreams. A stream of sse takes replies of 1 MB at most. */
const CALLING: ReadonlySet<Door> = new Set(['messages', 'mcp', 'execute'])

export function memoryMbOf({ callMemoryMb }: Pick<Stage, 'callMemoryMb'>, door: Door): number {
  return CALLING.has(door) ? callMemoryMb : DOOR_SIZES[door].memoryMb
}
