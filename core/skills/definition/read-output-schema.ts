/**
 * Reads `meta.output_schema`, the schema of `structuredContent`. It may have any root, as in the
 * newest revision; core/mcp adapts it for older ones. Official clients compile the schema when they
 * list tools, and one schema that their validator refuses would cost them the whole list.
 */
import { isDeeperThan } from '../../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PARAMETERS_DEPTH_MAX } from '../limits.ts'
import { addFieldError, type Notes } from './field-notes.ts'

const POINTER = '/meta/output_schema'

export function readOutputSchema(notes: Notes, value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  if (!isJsonObject(value)) {
    addFieldError(notes, POINTER, 'is not an object; send a JSON Schema, or leave it out')
    return undefined
  }
  if (isDeeperThan(value, PARAMETERS_DEPTH_MAX)) {
    addFieldError(notes, POINTER, `nests over ${PARAMETERS_DEPTH_MAX} levels; flatten it`)
    return undefined
  }
  if (value['$id'] !== undefined) {
    addFieldError(
      notes,
      `${POINTER}/$id`,
      'is what clients keep schemas by, so two would be one; remove it',
    )
  }
  checkNullables(notes, POINTER, value)
  return value
}

/**
 * Refuses `nullable` without `type`, for which Ajv in the official client throws. Every object is
 * searched, also data: a false match costs the author one keyword, a missed one costs agents the
 * whole list.
 */
function checkNullables(notes: Notes, pointer: string, value: Json): void {
  if (typeof value !== 'object' || value === null) return
  if (
    isJsonObject(value) &&
    typeof value['nullable'] === 'boolean' &&
    value['type'] === undefined
  ) {
    addFieldError(
      notes,
      `${pointer}/nullable`,
      'stands without type; write "type": ["string", "null"]',
    )
  }
  for (const [key, inner] of Object.entries(value)) {
    checkNullables(notes, `${pointer}${toJsonPointer([key])}`, inner)
  }
}
