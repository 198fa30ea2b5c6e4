/**
 * Adapts the JSON Schemas of tools for the clients that read them. The official TypeScript SDK v1
 * rejects a whole `tools/list` if a property's schema is `true` or `false`, and it supports only
 * output schemas of objects (tried with SDK 1.32, ToolSchema). Rules: MCP, schema, Tool of each
 * revision.
 */
import { mendSchema } from '../json/client-schemas.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

/** Corrects forms that some clients refuse; core/json/client-schemas.ts lists them. */
export function toListedInputSchema(schema: JsonObject): JsonObject {
  return mendSchema(schema, 'input')
}

/** Adapts an input schema for clients of legacy revisions. */
export function toLegacyInputSchema(schema: JsonObject): JsonObject {
  return withoutBooleanSchemas(toListedInputSchema(schema))
}

/**
 * Adapts an output schema for the newest revision, which allows any root: removes `$id` and
 * corrects the forms that some clients refuse.
 */
export function toListedOutputSchema(schema: JsonObject): JsonObject {
  return mendSchema(withoutId(schema), 'output')
}

/** Replaces boolean schemas of the root's properties by equal objects; SDK v1 checks only those. */
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
 * Adapts an output schema for clients of legacy revisions. Returns undefined if the root is not an
 * object; the tool's results then have only text.
 */
export function toLegacyOutputSchema(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema?.['type'] !== 'object') return undefined
  return withoutBooleanSchemas(toListedOutputSchema(schema))
}

/**
 * Removes `$id`, by which clients cache compiled output schemas; they compile no input schemas. If
 * two tools had the same `$id`, or a tool changed, a client would use the wrong schema.
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
