/**
 * `meta.output_schema`: what `structuredContent` fits. Any root, since the newest revision takes
 * any; older ones are sent what they take (core/mcp). Official clients compile it when they list
 * tools, so one that their validator chokes on would cost them the whole list.
 */
import { isDeeperThan } from '../../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'
import { PARAMETERS_DEPTH_MAX } from '../limits.ts'
import { fault, type Notes } from './field-notes.ts'

const POINTER = '/meta/output_schema'

export function readOutputSchema(notes: Notes, value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  if (!isJsonObject(value)) {
    fault(notes, POINTER, 'is not an object; send a JSON Schema, or leave it out')
    return undefined
  }
  if (isDeeperThan(value, PARAMETERS_DEPTH_MAX)) {
    fault(notes, POINTER, `nests over ${PARAMETERS_DEPTH_MAX} levels; flatten it`)
    return undefined
  }
  if (value['$id'] !== undefined) {
    fault(
      notes,
      `${POINTER}/$id`,
      'is what clients keep schemas by, so two would be one; remove it',
    )
  }
  readNullables(notes, POINTER, value)
  return value
}

/**
 * Ajv, in the official client, throws on `nullable` without `type`. Looked for in every object, also
 * where it is only data: a false match costs the author one more keyword, a missed one costs agents the list.
 */
function readNullables(notes: Notes, pointer: string, value: Json): void {
  if (typeof value !== 'object' || value === null) return
  if (
    isJsonObject(value) &&
    typeof value['nullable'] === 'boolean' &&
    value['type'] === undefined
  ) {
    fault(notes, `${pointer}/nullable`, 'stands without type; write "type": ["string", "null"]')
  }
  for (const [key, inner] of Object.entries(value)) {
    readNullables(notes, `${pointer}${jsonPointer([key])}`, inner)
  }
}
