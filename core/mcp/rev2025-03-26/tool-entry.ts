/** Writes a tool for the list of 2025-03-26, in which the title is one of the hints. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { toLegacyInputSchema } from '../listed-schema.ts'
import { withoutUndefined } from '../members.ts'

export function toToolEntry({
  annotations,
  description,
  inputSchema,
  name,
  title,
}: Tool): JsonObject {
  const hints = withoutUndefined({ title, ...annotations })
  return withoutUndefined({
    name,
    description,
    inputSchema: toLegacyInputSchema(inputSchema),
    annotations: Object.keys(hints).length === 0 ? undefined : hints,
  })
}
