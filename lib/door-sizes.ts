/**
 * Memory and timeout of each function, as plain data: the stacks deploy it and `npm run cost`
 * prices it. Functions wait far more than they compute, so memory is sized for content, not for
 * speed: a call with an answer of 4 MB peaks at 197 MB (`npm run bench:size`).
 */
import type { Door } from './doors.ts'

export type DoorSize = { readonly memoryMb: number; readonly timeoutSec: number }

export const DOOR_SIZES: { readonly [D in Door]: DoorSize } = {
  // Lambda's maximum. A stream ends itself at the first quiet moment after minute 13.
  sse: { memoryMb: 256, timeoutSec: 900 },
  // The call's 15 s, three tries to void (5 s each), and the reply's writes (6 s each at worst).
  messages: { memoryMb: 256, timeoutSec: 45 },
  // As sse: a listen stream ends after minute 13, and a person may take two minutes to answer. Calls are made here, as in execute.
  mcp: { memoryMb: 256, timeoutSec: 900 },
  // The call's 15 s, then outcome and release, which take up to 6 s each on a slow store.
  execute: { memoryMb: 256, timeoutSec: 30 },
  // API Gateway waits 29 s. A pushed tool list of 3 MB is parsed and compressed.
  admin: { memoryMb: 512, timeoutSec: 29 },
  // The next run starts after 60 s and continues where this one stopped; 40 s of it are for holds. The memory's
  // CPU visits 10,000 users in some 9 s (`npm run bench:sweep`).
  sweep: { memoryMb: 1024, timeoutSec: 55 },
  // Closing an hour reads its pages, some MB at 100 calls a second.
  usage: { memoryMb: 512, timeoutSec: 120 },
}
