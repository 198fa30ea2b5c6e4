/** The port `Schemas`, for who checks so many schemas that patterns are loaded at the start. */
import type { Schemas } from '../../core/ports/registry.ts'
import { checkSchemas } from './check-schema.ts'
import { linearPatterns } from './linear-patterns.ts'

/** The port `Schemas`; its `open` does nothing. */
export function schemas(): Schemas {
  return checkSchemas(linearPatterns)
}
