/**
 * What MCP clients and model APIs refuse in a schema, or stumble over, though JSON Schema allows it: one table for lists,
 * which mend it, for imports, whose cuts must not make it, and for the warnings of a sync. A mended schema takes the same
 * values, but for formats and dialects, which are left out. Measured with SDK 1.32 and by public reports of hosts.
 */
import type { FieldFault } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { jsonPointer } from './json-pointer.ts'
import { schemasUnder, withSchemas } from './schema-keywords.ts'

export type SchemaSide = 'input' | 'output'

type Rule = {
  /** Where the schema is what clients refuse. */
  finds(schema: JsonObject, place: Place): boolean
  mend(schema: JsonObject): JsonObject
  /** Continues the sentence `/meta/parameters/properties/a …`; undefined: an author need not know. */
  message(schema: JsonObject): string | undefined
}

type Place = { readonly side: SchemaSide; readonly isRoot: boolean }

/** Formats that the validator of the official client knows (ajv-formats 3); it prints a warning for each other one. */
const FORMATS = new Set(
  (
    'date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 ' +
    'regex uuid json-pointer json-pointer-uri-fragment relative-json-pointer byte int32 int64 float double password binary'
  ).split(' '),
)

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const CLIENT_RULES: readonly Rule[] = [
  {
    finds: (schema) => isOf(schema, 'array') && !Object.hasOwn(schema, 'items'),
    mend: (schema) => ({ ...schema, items: {} }),
    message: () => 'is an array without items, which some clients refuse; lists add "items": {}',
  },
  {
    finds: (schema, { isRoot }) =>
      isRoot && isOf(schema, 'object') && !Object.hasOwn(schema, 'properties'),
    mend: (schema) => ({ ...schema, properties: {} }),
    // A tool without arguments is often written so, and nothing about it changes for its author.
    message: () => undefined,
  },
  {
    finds: ({ enum: values }) => Array.isArray(values) && distinct(values).length < values.length,
    mend: (schema) => {
      const { enum: values } = schema
      return Array.isArray(values) ? { ...schema, enum: distinct(values) } : schema
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

/** Formats that lists leave out of an output schema. */
export function unknownFormats(schema: JsonObject): readonly string[] {
  const found = new Set<string>()
  const left: Json[] = [schema]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isJsonObject(next)) continue
    const { format } = next
    if (typeof format === 'string' && !FORMATS.has(format)) found.add(format)
    for (const [keyword, value] of Object.entries(next)) {
      left.push(...schemasUnder(keyword, value).map(([, schema]) => schema))
    }
  }
  return [...found]
}

/** Keyed weakly: a list is sent many times. */
const known = {
  input: new WeakMap<JsonObject, JsonObject>(),
  output: new WeakMap<JsonObject, JsonObject>(),
}

/** As lists have it; the same object where there is nothing to mend. */
export function mendedSchema(schema: JsonObject, side: SchemaSide): JsonObject {
  const cached = known[side].get(schema)
  if (cached !== undefined) return cached
  const mended = mend(schema, { side, isRoot: true })
  const result = isJsonObject(mended) ? mended : schema
  known[side].set(schema, result)
  return result
}

/** Recursion is bounded by the depth that a skill's schema may have. */
function mend(schema: Json, place: Place): Json {
  if (!isJsonObject(schema)) return schema
  let result: JsonObject = schema
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = withSchemas(keyword, value, (one) => mend(one, { ...place, isRoot: false }))
    if (inner !== value) result = { ...result, [keyword]: inner }
  }
  for (const rule of CLIENT_RULES) {
    if (rule.finds(result, place)) result = rule.mend(result)
  }
  return result
}

/** What lists mend, with pointers into the schema. */
export function clientRemarks(schema: JsonObject, side: SchemaSide): readonly FieldFault[] {
  const found: FieldFault[] = []
  collect(schema, { side, isRoot: true }, [], found)
  return found
}

function collect(
  schema: Json,
  place: Place,
  path: readonly (string | number)[],
  found: FieldFault[],
): void {
  if (!isJsonObject(schema)) return
  for (const rule of CLIENT_RULES) {
    const message = rule.finds(schema, place) ? rule.message(schema) : undefined
    if (message !== undefined) found.push({ pointer: jsonPointer(path), message })
  }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [inner, one] of schemasUnder(keyword, value)) {
      collect(one, { ...place, isRoot: false }, [...path, keyword, ...inner], found)
    }
  }
}

function isOf({ type }: JsonObject, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted))
}

function distinct(values: readonly Json[]): readonly Json[] {
  const texts = new Set<string>()
  return values.filter((value) => {
    const text = JSON.stringify(value)
    return !texts.has(text) && texts.add(text)
  })
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword))
}
