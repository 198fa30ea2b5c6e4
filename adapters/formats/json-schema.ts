/** The port `Schemas` for functions that load the code for patterns at the start. */
import type { Schemas } from '../../core/ports/registry.ts'
import { checkSchemas } from './check-schema.ts'
import { linearPatterns } from './linear-patterns.ts'

/** The port `Schemas`; its `open` does nothing. */
export function schemas(): Schemas {
  return checkSchemas(linearPatterns)
}
