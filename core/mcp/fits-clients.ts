/**
 * Checks whether an entry can be listed without breaking the list. Official clients refuse all of
 * tools/list for one bad entry, and model APIs refuse a whole request for one bad name, so one bad
 * entry costs an agent every tool. Checks only what breaks clients, not whether a schema is useful.
 * Measured with SDK 1.32 (ToolSchema).
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import { EMOJI_UNITS_MAX } from '../skills/limits.ts'
import type { Tool } from '../skills/skill.ts'
import { checkOutputSchemaForClients } from './output-schema-fault.ts'

/** A listed name. MCP allows 128 characters with `.` and `/`; model APIs allow 64 without them. */
const LISTED_NAME = /^[A-Za-z0-9_-]{1,64}$/

const HINTS: readonly string[] = [
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
]

/** Returns the first error with its pointer. Stored entries may be older than the current types. */
export function checkForClients(tool: Tool): Result<void, FieldError> {
  const wrong = checkTool(tool)
  return wrong === undefined ? ok(undefined) : err(wrong)
}

function checkTool(tool: Tool): FieldError | undefined {
  if (typeof tool.name !== 'string' || !LISTED_NAME.test(tool.name)) {
    return toFieldError(['name'], 'must be 1 to 64 characters of A-Z a-z 0-9 _ -')
  }
  if (typeof tool.description !== 'string' || tool.description.trim() === '') {
    return toFieldError(['description'], 'must be a text that is not empty')
  }
  if (!isJsonObject(tool.inputSchema)) return toFieldError(['inputSchema'], 'must be an object')
  return checkInputSchema(tool.inputSchema) ?? checkOptionalFields(tool)
}

/** Checks fields that older revisions drop, but clients of newer revisions validate. */
function checkOptionalFields(tool: Tool): FieldError | undefined {
  const { title } = tool
  if (title !== undefined && typeof title !== 'string')
    return toFieldError(['title'], 'must be a text')
  return (
    checkOutputSchema(tool.outputSchema) ??
    checkAnnotations(tool.annotations) ??
    checkEmoji(tool.emoji) ??
    checkNumbers(tool)
  )
}

/** Accepts any root type: legacy revisions drop schemas whose root is not an object. */
function checkOutputSchema(schema: Json | undefined): FieldError | undefined {
  if (schema === undefined) return undefined
  if (!isJsonObject(schema)) return toFieldError(['outputSchema'], 'must be an object')
  const found = checkOutputSchemaForClients(schema)
  return found && { ...found, pointer: `/outputSchema${found.pointer}` }
}

function checkAnnotations(annotations: Json | undefined): FieldError | undefined {
  if (annotations === undefined) return undefined
  if (!isJsonObject(annotations)) return toFieldError(['annotations'], 'must be an object')
  const bad = Object.entries(annotations).find(([name, hint]) => !isHint(name, hint))
  return (
    bad && toFieldError(['annotations', bad[0]], 'must be one of the four hints, true or false')
  )
}

function isHint(name: string, value: Json): boolean {
  return HINTS.includes(name) && typeof value === 'boolean'
}

/** The emoji becomes text of a picture, which cannot contain half of a surrogate pair. */
function checkEmoji(emoji: unknown): FieldError | undefined {
  if (emoji === undefined) return undefined
  const fits = typeof emoji === 'string' && emoji.length <= EMOJI_UNITS_MAX && emoji.isWellFormed()
  return fits
    ? undefined
    : toFieldError(['emoji'], `must be a text of at most ${EMOJI_UNITS_MAX} units`)
}

function checkNumbers(tool: Tool): FieldError | undefined {
  const { priceMicroCredits, timeoutMs = 0, typicalMs = 0 } = tool
  const bad = Object.entries({ priceMicroCredits, timeoutMs, typicalMs }).find(
    ([, value]) => !Number.isFinite(value) || value < 0,
  )
  return bad && toFieldError([bad[0]], 'must be a number, 0 or more')
}

function checkInputSchema(schema: JsonObject): FieldError | undefined {
  if (schema['type'] !== 'object') {
    return toFieldError(['inputSchema', 'type'], 'must be the string "object"')
  }
  return checkProperties(schema['properties']) ?? checkRequired(schema['required'])
}

/** Accepts boolean schemas: each revision writes them as objects. */
function checkProperties(properties: Json | undefined): FieldError | undefined {
  const path = ['inputSchema', 'properties']
  if (properties === undefined) return undefined
  if (!isJsonObject(properties)) return toFieldError(path, 'must be an object of schemas')
  const bad = Object.entries(properties).find(
    ([, schema]) => typeof schema !== 'boolean' && !isJsonObject(schema),
  )
  return bad === undefined ? undefined : toFieldError([...path, bad[0]], 'must be a schema object')
}

function checkRequired(required: Json | undefined): FieldError | undefined {
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string')
  if (required === undefined || isList) return undefined
  return toFieldError(['inputSchema', 'required'], 'must be an array of property names')
}

function toFieldError(path: readonly string[], message: string): FieldError {
  return { pointer: toJsonPointer(path), message }
}
