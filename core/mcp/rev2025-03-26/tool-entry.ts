/** A tool as 2025-03-26 lists it: the title is one of its hints, having no place of its own yet. */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import { withoutBooleanSchemas } from '../listed-schema.ts'
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
    inputSchema: withoutBooleanSchemas(inputSchema),
    annotations: Object.keys(hints).length === 0 ? undefined : hints,
  })
}
