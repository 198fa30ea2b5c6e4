/**
 * Judges the schemas that an import makes, as a sync judges those that it is sent. The operations of a document have the same
 * defaults over and over, and each check of defaults may run patterns under a time limit, so the findings are
 * cached.
 */
import type { FieldFault } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import type { Ports, Schemas } from '../../ports.ts'
import { defaultFaults } from '../registry/check-defaults.ts'

export type SchemaJudge = {
  /** For a schema of arguments: defaults are sent, so they have to fit. */
  input(schema: JsonObject): readonly FieldFault[]
  output(schema: JsonObject): readonly FieldFault[]
}

export function schemaJudge(ports: Pick<Ports, 'schemas'>): SchemaJudge {
  const known = new Map<string, readonly FieldFault[]>()
  const output = (schema: JsonObject) => ports.schemas.schemaFaults(schema)
  const defaultsOf = (schema: JsonObject) => {
    const part = withDefaults(schema)
    if (part === undefined) return []
    const text = JSON.stringify(part)
    const found = known.get(text) ?? defaultFaults(ports, part)
    known.set(text, found)
    return found
  }
  const input = (schema: JsonObject) => {
    const faults = output(schema)
    return faults.length > 0 ? faults : defaultsOf(schema)
  }
  return { input, output }
}

/** The properties that may hold a default, with what they refer to; undefined when none does. */
function withDefaults({ $defs, properties }: JsonObject): JsonObject | undefined {
  const all = isJsonObject(properties) ? Object.entries(properties) : []
  const some = all.filter(([, property]) => DEFAULT.test(JSON.stringify(property)))
  if (some.length === 0) return undefined
  const part = { type: 'object', properties: Object.fromEntries(some) }
  return $defs === undefined ? part : { ...part, $defs }
}

/** A reference may lead to one. */
const DEFAULT = /"(?:default|\$ref)":/

/** Schemas were judged when the tools were made of them; a large document has thousands. */
export const JUDGED_SCHEMAS: Schemas = {
  faults: () => [],
  schemaFaults: () => [],
  unusable: () => undefined,
}
