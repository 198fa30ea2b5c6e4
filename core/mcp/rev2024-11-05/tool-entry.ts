/** Writes a tool for the list of 2024-11-05: only name, description and input schema. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { toLegacyInputSchema } from '../listed-schema.ts'

export function toToolEntry({ description, inputSchema, name }: Tool): JsonObject {
  return { name, description, inputSchema: toLegacyInputSchema(inputSchema) }
}
