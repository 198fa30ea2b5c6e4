/** The port `Schemas` of functions that agents wait for: code for patterns is loaded with the first skill that has one. */
import { loadOnce } from '../../core/cache/load-once.ts'
import { Fault } from '../../core/errors.ts'
import type { Schemas } from '../../core/ports/registry.ts'
import { checkSchemas } from './check-schema.ts'
import type { PatternEngine } from './compiled-schema.ts'

/** The port; its `open` loads, and `faults` of a schema with patterns needs it. */
export function schemasWithLatePatterns(): Schemas {
  let engine: PatternEngine | undefined
  const open = loadOnce(async () => {
    const { linearPatterns } = await import('./linear-patterns.ts')
    engine = linearPatterns
  })
  return checkSchemas((source) => {
    if (engine === undefined) throw new Fault('internal', 'patterns: asked before they were opened')
    return engine(source)
  }, open)
}
