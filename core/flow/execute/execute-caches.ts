/** Caches that one environment of execute keeps between calls. No result depends on them. */

import { createV0Lookups, type V0Lookups } from '../access/v0-lookups.ts'
import { type CircuitBreakers, makeCircuitBreakers } from './circuit-breakers.ts'
import { makeSecretUses, type SecretUses } from './secret-uses.ts'

export type ExecuteCaches = {
  readonly upstreams: CircuitBreakers
  readonly tokens: V0Lookups
  readonly secretUses: SecretUses
}

/** New, empty caches: one set for each environment. */
export function makeExecuteCaches(): ExecuteCaches {
  return {
    upstreams: makeCircuitBreakers(),
    tokens: createV0Lookups(),
    secretUses: makeSecretUses(),
  }
}
