/** What one environment of execute remembers between calls; nothing of it is needed to be right. */
import { type SweepMemory, sweepMemory } from './sweep-memory.ts'
import { type UpstreamMemory, upstreamMemory } from './upstream-memory.ts'

export type ExecuteMemory = {
  readonly marks: SweepMemory
  readonly upstreams: UpstreamMemory
}

export function executeMemory(): ExecuteMemory {
  return { marks: sweepMemory(), upstreams: upstreamMemory() }
}
