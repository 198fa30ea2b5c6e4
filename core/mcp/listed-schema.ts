/**
 * Adapts JSON Schemas to what clients accept. The official v1 client refuses a whole list for a
 * property that is `true` or `false`, and knows output schemas of objects only. Bound by MCP,
 * schema, Tool of each revision; measured with SDK 1.32 (ToolSchema).
 */
import { mendedSchema } from '../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Input schemas as clients of all revisions take them (core/json/client-schemas.ts). */
export function listedInputSchema(schema: JsonObject): JsonObject {
  return mendedSchema(schema, 'input')
}

export function legacyInputSchema(schema: JsonObject): JsonObject {
  return withoutBooleanSchemas(listedInputSchema(schema))
}

/** Of the newest revision, which knows any root. */
export function listedOutputSchema(schema: JsonObject): JsonObject {
  return mendedSchema(withoutId(schema), 'output')
}

/** An equivalent schema in which boolean property schemas are written as objects. */
export function withoutBooleanSchemas(schema: JsonObject): JsonObject {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return schema
  if (!Object.values(properties).some((value) => typeof value === 'boolean')) return schema
  const entries = Object.entries(properties).map(
    ([name, value]) => [name, asObject(value)] as const,
  )
  return { ...schema, properties: Object.fromEntries(entries) }
}

/**
 * Undefined for a schema whose root is not an object: the tool's results then go out as text alone.
 */
export function legacyOutputSchema(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema?.['type'] !== 'object') return undefined
  return withoutBooleanSchemas(listedOutputSchema(schema))
}

/**
 * Clients cache compiled schemas by `$id`. If two tools shared one, or a tool changed, they would
 * check results against the wrong schema.
 */
function withoutId(schema: JsonObject): JsonObject {
  const { $id: id, ...more } = schema
  return id === undefined ? schema : more
}

function asObject(schema: Json): Json {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  return schema
}
