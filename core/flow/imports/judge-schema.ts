/**
 * Judges the schemas that an import makes, as a sync judges those that it is sent. They have no defaults, which a sync
 * judges as well.
 */
import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports.ts'

export type SchemaJudge = {
  input(schema: JsonObject): readonly FieldFault[]
  output(schema: JsonObject): readonly FieldFault[]
}

export function schemaJudge({ schemas }: Pick<Ports, 'schemas'>): SchemaJudge {
  const judge = (schema: JsonObject) => schemas.schemaFaults(schema)
  return { input: judge, output: judge }
}
