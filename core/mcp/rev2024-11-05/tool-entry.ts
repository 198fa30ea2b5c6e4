/** Writes a tool for the list of 2024-11-05: only name, description and input schema. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { legacyInputSchema } from '../listed-schema.ts'

export function toolEntry({ description, inputSchema, name }: Tool): JsonObject {
  return { name, description, inputSchema: legacyInputSchema(inputSchema) }
}
