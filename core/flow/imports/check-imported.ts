/**
 * Checks the schemas and the credentials that an import makes, by the rules of a sync. A sync also
 * checks the defaults of schemas; imported schemas have none.
 */
import type { FieldError } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Schemas } from '../../ports/registry.ts'
import type { Settings } from '../../settings.ts'
import { type ValidateSkillNeeds, validateDefinition } from '../registry/validate-skill.ts'

/** Each function returns errors with pointers into the schema. */
export type SchemaChecker = {
  input(schema: JsonObject): readonly FieldError[]
  output(schema: JsonObject): readonly FieldError[]
  /** Patterns that calls will not be checked against. */
  notices(schema: JsonObject): readonly FieldError[]
}

export function makeSchemaChecker({ schemas }: Pick<Ports, 'schemas'>): SchemaChecker {
  const findFaults = (schema: JsonObject) => schemas.schemaFaults(schema)
  return { input: findFaults, output: findFaults, notices: (schema) => schemas.notices(schema) }
}

/**
 * Returns a function that checks the credentials of a config, and returns the error or undefined.
 * It validates a skill that has this config and is sound otherwise. Results are cached, since the
 * operations of a document share few configs.
 */
export function makeConfigChecker(ports: ValidateSkillNeeds, settings: Settings) {
  const errors = new Map<string, string | undefined>()
  return (config: JsonObject) => {
    const text = JSON.stringify(config)
    if (!errors.has(text)) {
      const meta = { name: 'x', description: 'x', parameters: { type: 'object', properties: {} } }
      const sent = { endpoint: 'https://api.example.com/', ...config }
      const definition = { id: 'x', meta, config: sent, credits_per_call: 0 }
      const terms = { text: '', source: 'official', uid: undefined } as const
      const read = validateDefinition(ports, settings, terms, definition)
      errors.set(text, read.ok ? undefined : (read.error.faults?.[0]?.message ?? read.error.detail))
    }
    return errors.get(text)
  }
}

/**
 * Finds no errors. The schemas were checked when the tools were made of them, and a large document
 * has thousands.
 */
export const ACCEPT_ALL_SCHEMAS: Schemas = {
  faults: () => [],
  schemaFaults: () => [],
  notices: () => [],
  open: async () => undefined,
}
