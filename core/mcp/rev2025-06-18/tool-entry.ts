/** Writes a tool for the list of 2025-06-18, which has only output schemas of objects. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { legacyInputSchema, legacyOutputSchema } from '../listed-schema.ts'
import { members } from '../members.ts'
import { toolMeta } from '../tool-meta.ts'

export function toolEntry(tool: Tool): JsonObject {
  return members({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: legacyInputSchema(tool.inputSchema),
    outputSchema: legacyOutputSchema(tool.outputSchema),
    annotations: tool.annotations,
    _meta: toolMeta(tool),
  })
}
