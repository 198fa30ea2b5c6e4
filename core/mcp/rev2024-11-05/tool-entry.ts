/** A tool as 2024-11-05 lists it: name, description and input schema, nothing else. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { legacyInputSchema } from '../listed-schema.ts'

export function toolEntry({ description, inputSchema, name }: Tool): JsonObject {
  return { name, description, inputSchema: legacyInputSchema(inputSchema) }
}
