/** Caches that one environment of execute keeps between calls. No result depends on them. */

import { type V0Lookups, v0Lookups } from '../access/v0-lookups.ts'
import { type CircuitBreakers, circuitBreakers } from './circuit-breakers.ts'
import { type SecretUses, secretUses } from './secret-uses.ts'
import { type SweepEntryCache, sweepEntryCache } from './sweep-entry-cache.ts'

export type ExecuteCaches = {
  readonly sweepEntries: SweepEntryCache
  readonly upstreams: CircuitBreakers
  readonly tokens: V0Lookups
  readonly secretUses: SecretUses
}

export function executeCaches(): ExecuteCaches {
  return {
    sweepEntries: sweepEntryCache(),
    upstreams: circuitBreakers(),
    tokens: v0Lookups(),
    secretUses: secretUses(),
  }
}
