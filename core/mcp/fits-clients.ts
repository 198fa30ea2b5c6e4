/**
 * Whether an entry can be listed without breaking the list. Official clients validate tools/list
 * all or nothing, and hosts pass the names to model APIs that refuse the whole request, so one bad
 * entry costs an agent every tool. Checks only what breaks clients, not whether a schema is
 * sensible. Measured with SDK 1.32 (ToolSchema).
 */
import { err, type FieldFault, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import { EMOJI_UNITS_MAX } from '../skills/limits.ts'
import type { Tool } from '../skills/skill.ts'
import { outputSchemaFault } from './output-schema-fault.ts'

/**
 * Characters of a listed name. MCP allows 128 with `.` and `/`, but model APIs accept 64 without
 * them, and hosts add a prefix of their own.
 */
const LISTED_NAME = /^[A-Za-z0-9_-]{1,64}$/

const HINTS: readonly string[] = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
]

/** The first fault, with its place in the entry. Stored entries may be older than today's types. */
export function fitsClients(tool: Tool): Result<void, FieldFault> {
  const fault = faultOfTool(tool)
  return fault === undefined ? ok(undefined) : err(fault)
}

function faultOfTool(tool: Tool): FieldFault | undefined {
  if (typeof tool.name !== 'string' || !LISTED_NAME.test(tool.name)) {
    return fault(['name'], 'must be 1 to 64 characters of A-Z a-z 0-9 _ -')
  }
  if (typeof tool.description !== 'string' || tool.description.trim() === '') {
    return fault(['description'], 'must be a text that is not empty')
  }
  if (!isJsonObject(tool.inputSchema)) return fault(['inputSchema'], 'must be an object')
  return faultOfSchema(tool.inputSchema) ?? faultOfMore(tool)
}

/**
 * Fields that older revisions drop. A wrong value would break the list for clients of newer ones.
 */
function faultOfMore(tool: Tool): FieldFault | undefined {
  const { title } = tool
  if (title !== undefined && typeof title !== 'string') return fault(['title'], 'must be a text')
  return (
    faultOfOutput(tool.outputSchema) ??
    faultOfAnnotations(tool.annotations) ??
    faultOfEmoji(tool.emoji) ??
    faultOfNumbers(tool)
  )
}

/** Any root type is accepted: legacy revisions drop schemas whose root is not an object. */
function faultOfOutput(schema: Json | undefined): FieldFault | undefined {
  if (schema === undefined) return undefined
  if (!isJsonObject(schema)) return fault(['outputSchema'], 'must be an object')
  const found = outputSchemaFault(schema)
  return found && { ...found, pointer: `/outputSchema${found.pointer}` }
}

function faultOfAnnotations(annotations: Json | undefined): FieldFault | undefined {
  if (annotations === undefined) return undefined
  if (!isJsonObject(annotations)) return fault(['annotations'], 'must be an object')
  const bad = Object.entries(annotations).find(([name, hint]) => !isHint(name, hint))
  return bad && fault(['annotations', bad[0]], 'must be one of the four hints, true or false')
}

function isHint(name: string, value: Json): boolean {
  return HINTS.includes(name) && typeof value === 'boolean'
}

/** The emoji becomes text of a picture, which cannot contain half a surrogate pair. */
function faultOfEmoji(emoji: unknown): FieldFault | undefined {
  if (emoji === undefined) return undefined
  const fits = typeof emoji === 'string' && emoji.length <= EMOJI_UNITS_MAX && emoji.isWellFormed()
  return fits ? undefined : fault(['emoji'], `must be a text of at most ${EMOJI_UNITS_MAX} units`)
}

function faultOfNumbers(tool: Tool): FieldFault | undefined {
  const { priceMicroCredits, timeoutMs = 0, typicalMs = 0 } = tool
  const bad = Object.entries({ priceMicroCredits, timeoutMs, typicalMs }).find(
    ([, value]) => !Number.isFinite(value) || value < 0,
  )
  return bad && fault([bad[0]], 'must be a number, 0 or more')
}

function faultOfSchema(schema: JsonObject): FieldFault | undefined {
  if (schema['type'] !== 'object') {
    return fault(['inputSchema', 'type'], 'must be the string "object"')
  }
  return faultOfProperties(schema['properties']) ?? faultOfRequired(schema['required'])
}

/** Boolean schemas pass: each revision's projection writes them as objects. */
function faultOfProperties(properties: Json | undefined): FieldFault | undefined {
  const path = ['inputSchema', 'properties']
  if (properties === undefined) return undefined
  if (!isJsonObject(properties)) return fault(path, 'must be an object of schemas')
  const bad = Object.entries(properties).find(
    ([, schema]) => typeof schema !== 'boolean' && !isJsonObject(schema),
  )
  return bad === undefined ? undefined : fault([...path, bad[0]], 'must be a schema object')
}

function faultOfRequired(required: Json | undefined): FieldFault | undefined {
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string')
  if (required === undefined || isList) return undefined
  return fault(['inputSchema', 'required'], 'must be an array of property names')
}

function fault(path: readonly string[], message: string): FieldFault {
  return { pointer: jsonPointer(path), message }
}
