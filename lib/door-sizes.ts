/**
 * Memory and time of each door, as plain data: the stacks deploy it and `npm run cost` prices it.
 * A door waits far more than it computes, so memory is what it needs to hold, not to be fast.
 */
import type { Door } from './doors.ts'

export type DoorSize = { readonly memoryMb: number; readonly timeoutSec: number }

export const DOOR_SIZES: { readonly [D in Door]: DoorSize } = {
  // Lambda's longest: the stream ends itself at the first quiet moment after minute 13.
  sse: { memoryMb: 256, timeoutSec: 900 },
  // The 15 s guard, three tries to void (5 s each), and the reply's writes (6 s each at worst).
  messages: { memoryMb: 256, timeoutSec: 45 },
  // As sse: a listen stream ends itself after minute 13, and a person may be asked for two minutes.
  mcp: { memoryMb: 256, timeoutSec: 900 },
  // The 15 s guard, then outcome and release, which a slow store stretches to 6 s each.
  execute: { memoryMb: 256, timeoutSec: 30 },
  // API Gateway waits 29 s. A pushed list of tools is 3 MB, parsed and zipped.
  admin: { memoryMb: 512, timeoutSec: 29 },
  // The next run comes after 60 s and goes on where this one stopped.
  sweep: { memoryMb: 256, timeoutSec: 55 },
}
