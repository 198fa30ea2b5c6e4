/**
 * Adapts JSON Schemas for clients. The official v1 client refuses a whole list for a property that
 * is `true` or `false`, and supports only output schemas of objects. Bound by MCP, schema, Tool of
 * each revision; measured with SDK 1.32 (ToolSchema).
 */
import { mendSchema } from '../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Adapts an input schema for clients of all revisions (core/json/client-schemas.ts). */
export function toListedInputSchema(schema: JsonObject): JsonObject {
  return mendSchema(schema, 'input')
}

/** Adapts an input schema for clients of legacy revisions. */
export function toLegacyInputSchema(schema: JsonObject): JsonObject {
  return withoutBooleanSchemas(toListedInputSchema(schema))
}

/** Adapts an output schema for the newest revision, which allows any root. */
export function toListedOutputSchema(schema: JsonObject): JsonObject {
  return mendSchema(withoutId(schema), 'output')
}

/** Writes boolean property schemas as equivalent objects. */
export function withoutBooleanSchemas(schema: JsonObject): JsonObject {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return schema
  if (!Object.values(properties).some((value) => typeof value === 'boolean')) return schema
  const entries = Object.entries(properties).map(
    ([name, value]) => [name, asObject(value)] as const,
  )
  return { ...schema, properties: Object.fromEntries(entries) }
}

/** Returns undefined if the root is not an object; the tool's results then have only text. */
export function toLegacyOutputSchema(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema?.['type'] !== 'object') return undefined
  return withoutBooleanSchemas(toListedOutputSchema(schema))
}

/**
 * Removes `$id`, by which clients cache compiled schemas. If two tools had the same `$id`, or a
 * tool changed, a client would use the wrong schema.
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
