/** Writes a tool for the list of 2025-11-25: the entry of 2025-06-18 with icons. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { makeEmojiIcons } from '../emoji-icon.ts'
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
    icons: makeEmojiIcons(tool.emoji),
    _meta: makeToolMeta(tool),
  })
}
