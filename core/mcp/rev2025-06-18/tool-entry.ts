/** Writes a tool for the list of 2025-06-18, which has only output schemas of objects. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { toLegacyInputSchema, toLegacyOutputSchema } from '../listed-schema.ts'
import { withoutUndefined } from '../members.ts'
import { makeToolMeta } from '../tool-meta.ts'

export function toToolEntry(tool: Tool): JsonObject {
  return withoutUndefined({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toLegacyInputSchema(tool.inputSchema),
    // A call of it answers with a task in words, which no schema fits.
    outputSchema: tool.needsTask ? undefined : toLegacyOutputSchema(tool.outputSchema),
    annotations: tool.annotations,
    _meta: makeToolMeta(tool),
  })
}
