/**
 * Schema forms that JSON Schema allows, but that MCP clients or model APIs refuse or handle badly.
 * Tool lists correct these forms, imports must not produce them, and a sync warns of them. A
 * corrected schema accepts the same values; only formats and dialects are left out. The rules come
 * from tests with SDK 1.32 and from public bug reports of hosts.
 */
import type { FieldError } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { toJsonPointer } from './json-pointer.ts'
import { listInnerSchemas, mapInnerSchemas } from './schema-keywords.ts'

export type SchemaSide = 'input' | 'output'

type Rule = {
  /** True if the schema has the form that clients refuse. */
  finds(schema: JsonObject, place: Place): boolean
  mend(schema: JsonObject): JsonObject
  /** Follows a pointer in a sentence. Undefined if the author does not need a warning. */
  message(schema: JsonObject): string | undefined
}

type Place = { readonly side: SchemaSide; readonly isRoot: boolean }

/** Formats of the official client's validator (ajv-formats 3). It logs a warning for any other. */
const FORMATS = new Set(
  (
    'date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 ' +
    'regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double password binary'
  ).split(' '),
)

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const CLIENT_RULES: readonly Rule[] = [
  {
    finds: (schema) => hasType(schema, 'array') && !Object.hasOwn(schema, 'items'),
    mend: (schema) => ({ ...schema, items: {} }),
    message: () => 'is an array without items, which some clients refuse; lists add "items": {}',
  },
  {
    finds: (schema, { isRoot }) =>
      isRoot && hasType(schema, 'object') && !Object.hasOwn(schema, 'properties'),
    mend: (schema) => ({ ...schema, properties: {} }),
    // Authors often write a tool without arguments like this, and nothing changes for them.
    message: () => undefined,
  },
  {
    finds: ({ enum: values }) =>
      Array.isArray(values) && withoutRepeats(values).length < values.length,
    mend: (schema) => {
      const { enum: values } = schema
      return Array.isArray(values) ? { ...schema, enum: withoutRepeats(values) } : schema
    },
    message: () => 'has a value twice in enum, which some clients refuse; lists have it once',
  },
  {
    finds: ({ $schema: dialect }) => dialect !== undefined && dialect !== DIALECT,
    mend: (schema) => without(schema, '$schema'),
    message: () => 'has another $schema than 2020-12, which clients refuse; lists leave it out',
  },
  {
    finds: ({ format }, { side }) =>
      side === 'output' && typeof format === 'string' && !FORMATS.has(format),
    mend: (schema) => without(schema, 'format'),
    message: ({ format }) =>
      `has the format ${String(format)}, of which clients that do not know it warn; lists leave it out`,
  },
]

/** Returns the formats that tool lists leave out of an output schema. */
export function findUnknownFormats(schema: JsonObject): readonly string[] {
  const found = new Set<string>()
  const left: Json[] = [schema]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isJsonObject(next)) continue
    const { format } = next
    if (typeof format === 'string' && !FORMATS.has(format)) found.add(format)
    for (const [keyword, value] of Object.entries(next)) {
      left.push(...listInnerSchemas(keyword, value).map(([, schema]) => schema))
    }
  }
  return [...found]
}

/** Corrected schemas, because a list is sent many times. The keys are weak references. */
const cache = {
  input: new WeakMap<JsonObject, JsonObject>(),
  output: new WeakMap<JsonObject, JsonObject>(),
}

/** Returns the schema as tool lists have it; the same object if no rule applies. */
export function mendSchema(schema: JsonObject, side: SchemaSide): JsonObject {
  const cached = cache[side].get(schema)
  if (cached !== undefined) return cached
  const mended = mendAt(schema, { side, isRoot: true })
  const result = isJsonObject(mended) ? mended : schema
  cache[side].set(schema, result)
  return result
}

/** Recursion is bounded by the depth that a skill's schema may have. */
function mendAt(schema: Json, place: Place): Json {
  if (!isJsonObject(schema)) return schema
  let result: JsonObject = schema
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = mapInnerSchemas(keyword, value, (one) => mendAt(one, { ...place, isRoot: false }))
    if (inner !== value) result = { ...result, [keyword]: inner }
  }
  for (const rule of CLIENT_RULES) {
    if (rule.finds(result, place)) result = rule.mend(result)
  }
  return result
}

/** Returns a remark for each place that tool lists correct, with a pointer into the schema. */
export function collectClientRemarks(schema: JsonObject, side: SchemaSide): readonly FieldError[] {
  const found: FieldError[] = []
  collectRemarks(schema, { side, isRoot: true }, [], found)
  return found
}

function collectRemarks(
  schema: Json,
  place: Place,
  path: readonly (string | number)[],
  found: FieldError[],
): void {
  if (!isJsonObject(schema)) return
  for (const rule of CLIENT_RULES) {
    const message = rule.finds(schema, place) ? rule.message(schema) : undefined
    if (message !== undefined) found.push({ pointer: toJsonPointer(path), message })
  }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [inner, one] of listInnerSchemas(keyword, value)) {
      collectRemarks(one, { ...place, isRoot: false }, [...path, keyword, ...inner], found)
    }
  }
}

function hasType({ type }: JsonObject, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted))
}

function withoutRepeats(values: readonly Json[]): readonly Json[] {
  const texts = new Set<string>()
  return values.filter((value) => {
    const text = JSON.stringify(value)
    return !texts.has(text) && texts.add(text)
  })
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword))
}
