/**
 * Judges the schemas and the credentials that an import makes, as a sync judges those that it is sent. The schemas have
 * no defaults, which a sync judges as well.
 */
import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Schemas } from '../../ports/registry.ts'
import type { Settings } from '../../settings.ts'
import { judgeDefinition, type ValidateSkillNeeds } from '../registry/validate-skill.ts'

export type SchemaJudge = {
  input(schema: JsonObject): readonly FieldFault[]
  output(schema: JsonObject): readonly FieldFault[]
  /** Patterns that calls will not be checked against. */
  notices(schema: JsonObject): readonly FieldFault[]
}

export function schemaJudge({ schemas }: Pick<Ports, 'schemas'>): SchemaJudge {
  const judge = (schema: JsonObject) => schemas.schemaFaults(schema)
  return { input: judge, output: judge, notices: (schema) => schemas.notices(schema) }
}

/** A skill with these credentials in its config, judged as a sync would; the rest of it is sound. */
export function configJudge(ports: ValidateSkillNeeds, settings: Settings) {
  const known = new Map<string, string | undefined>()
  return (config: JsonObject) => {
    const text = JSON.stringify(config)
    if (!known.has(text)) {
      const meta = { name: 'x', description: 'x', parameters: { type: 'object', properties: {} } }
      const sent = { endpoint: 'https://api.example.com/', ...config }
      const definition = { id: 'x', meta, config: sent, credits_per_call: 0 }
      const asked = { text: '', source: 'official', uid: undefined } as const
      const read = judgeDefinition(ports, settings, asked, definition)
      known.set(text, read.ok ? undefined : (read.error.faults?.[0]?.message ?? read.error.detail))
    }
    return known.get(text)
  }
}

/** Schemas were judged when the tools were made of them; a large document has thousands. */
export const JUDGED_SCHEMAS: Schemas = {
  faults: () => [],
  schemaFaults: () => [],
  notices: () => [],
  open: async () => undefined,
}
