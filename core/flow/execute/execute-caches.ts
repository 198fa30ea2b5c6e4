/** Caches that one environment of execute keeps between calls. No result depends on them. */

import { type CircuitBreakers, circuitBreakers } from './circuit-breakers.ts'
import { type SweepEntryCache, sweepEntryCache } from './sweep-entry-cache.ts'

export type ExecuteCaches = {
  readonly sweepEntries: SweepEntryCache
  readonly upstreams: CircuitBreakers
}

export function executeCaches(): ExecuteCaches {
  return { sweepEntries: sweepEntryCache(), upstreams: circuitBreakers() }
}
