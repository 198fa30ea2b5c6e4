/** The port `Schemas` for functions that load the code for patterns at the start. */
import type { Schemas } from '../../core/ports/registry.ts'
import { makeSchemas } from './check-schema.ts'
import { searchLinearly } from './linear-patterns.ts'

/** The port `Schemas`; its `open` does nothing. */
export function makeSchemasWithPatterns(): Schemas {
  return makeSchemas(searchLinearly)
}
