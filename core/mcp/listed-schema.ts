/**
 * JSON Schemas as clients take them: the official v1 client refuses a whole list for a property
 * that is `true` or `false`, and knows output schemas of objects only. Bound by MCP, schema, Tool
 * of each revision; measured with SDK 1.32 (ToolSchema).
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Lawful JSON Schema that says the same, with objects for the properties that are booleans. */
export function withoutBooleanSchemas(schema: JsonObject): JsonObject {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return schema
  if (!Object.values(properties).some((value) => typeof value === 'boolean')) return schema
  const entries = Object.entries(properties).map(
    ([name, value]) => [name, asObject(value)] as const,
  )
  return { ...schema, properties: Object.fromEntries(entries) }
}

/** Undefined for a schema of anything but objects: results of the tool then go out as text alone. */
export function legacyOutputSchema(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema?.['type'] !== 'object') return undefined
  return withoutBooleanSchemas(withoutId(schema))
}

/**
 * Clients keep compiled schemas by `$id`: of two tools with the same one, or of a tool that changed,
 * they would hold results against the wrong schema.
 */
export function withoutId(schema: JsonObject): JsonObject {
  const { $id: id, ...more } = schema
  return id === undefined ? schema : more
}

function asObject(schema: Json): Json {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  return schema
}
