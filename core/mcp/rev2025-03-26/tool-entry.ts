/** Writes a tool for the list of 2025-03-26, in which the title is one of the hints. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { legacyInputSchema } from '../listed-schema.ts'
import { members } from '../members.ts'

export function toolEntry({
  annotations,
  description,
  inputSchema,
  name,
  title,
}: Tool): JsonObject {
  const hints = members({ title, ...annotations })
  return members({
    name,
    description,
    inputSchema: legacyInputSchema(inputSchema),
    annotations: Object.keys(hints).length === 0 ? undefined : hints,
  })
}
