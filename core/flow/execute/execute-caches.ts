/** What one environment of execute remembers between calls; nothing of it is needed to be right. */

import { type UpstreamMemory, upstreamMemory } from './circuit-breakers.ts'
import { type SweepMemory, sweepMemory } from './sweep-entry-cache.ts'

export type ExecuteMemory = {
  readonly sweepEntries: SweepMemory
  readonly upstreams: UpstreamMemory
}

export function executeMemory(): ExecuteMemory {
  return { sweepEntries: sweepMemory(), upstreams: upstreamMemory() }
}
