/** Caches that one environment of execute keeps between calls. No result depends on them. */

import { type V0Lookups, v0Lookups } from '../access/v0-lookups.ts'
import { type CircuitBreakers, circuitBreakers } from './circuit-breakers.ts'
import { makeSecretUses, type SecretUses } from './secret-uses.ts'

export type ExecuteCaches = {
  readonly upstreams: CircuitBreakers
  readonly tokens: V0Lookups
  readonly secretUses: SecretUses
}

/** New, empty caches: one set for each environment. */
export function executeCaches(): ExecuteCaches {
  return {
    upstreams: circuitBreakers(),
    tokens: v0Lookups(),
    secretUses: makeSecretUses(),
  }
}
