/** The port `Schemas` for functions that agents wait for: the first pattern loads its code. */
import { loadOnce } from '../../core/cache/load-once.ts'
import { Fault } from '../../core/errors.ts'
import type { Schemas } from '../../core/ports/registry.ts'
import { makeSchemas } from './check-schema.ts'
import type { PatternEngine } from './compiled-schema.ts'

/** Callers await `open` before they check values against a schema with patterns. */
export function makeSchemasWithLatePatterns(): Schemas {
  let engine: PatternEngine | undefined
  const open = loadOnce(async () => {
    const module = await import('./linear-patterns.ts')
    engine = module.searchLinearly
  })
  return makeSchemas((source) => {
    if (engine === undefined) throw new Fault('internal', 'patterns: asked before they were opened')
    return engine(source)
  }, open)
}
