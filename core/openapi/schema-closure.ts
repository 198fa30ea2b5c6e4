/**
 * Schemas of a document as one schema that needs nothing outside itself: each `#/…` reference becomes
 * one into `$defs`, and `$defs` holds what is reached and no more. Full inlining is never done, since
 * it grows without bound where schemas refer to each other.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { objectOf, shortened, textsOf } from './fields.ts'
import { PARAMETER_DESCRIPTION_CHARS_MAX, SCHEMA_DEPTH_MAX } from './limits.ts'
import { resolved, valueAtReference } from './references.ts'
import { type KeywordKind, PLAIN_KEYWORDS, SCHEMA_HOLDERS } from './schema-keywords.ts'

/** How much of the schemas is kept. */
export type Detail = {
  /** Input leaves out what is `readOnly`, output what is `writeOnly`. */
  readonly side: 'input' | 'output'
  readonly hasDescriptions: boolean
  /** Schemas below this many references and properties are their type alone. */
  readonly levelsMax: number
}

export type SchemaClosure = {
  /** A schema of the document, rewritten. `level`: how deep it stands in what is made. */
  write(schema: Json | undefined, level?: number): Json
  /** Writes what is still to be written; call it once all roots are. */
  definitions(): JsonObject
  /** True when a schema contains itself. */
  isRecursive(): boolean
  /** References that lead nowhere. */
  readonly missing: ReadonlySet<string>
}

type Waiting = { readonly name: string; readonly schema: JsonObject; readonly level: number }

/** Levels of JSON that `$defs`, a name and a margin take of SCHEMA_DEPTH_MAX. */
const DEPTH_MARGIN = 4

export function schemaClosure(document: JsonObject, detail: Detail): SchemaClosure {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const waiting: Waiting[] = []
  const missing = new Set<string>()
  const defs: { [name: string]: Json } = {}
  const edges = new Map<string, Set<string>>()
  let current = ''

  function reference(to: string, level: number): Json {
    const target = resolved(document, { $ref: to })
    if (target === undefined) {
      if (!isBoolean(valueAtReference(document, to))) missing.add(to)
      return {}
    }
    if (level >= detail.levelsMax) return typeAlone(document, target)
    const name = names.get(to) ?? nameFor(to, taken)
    edges.set(current, (edges.get(current) ?? new Set()).add(name))
    if (!names.has(to)) {
      names.set(to, name)
      taken.add(name)
      waiting.push({ name, schema: target, level: level + 1 })
    }
    return { $ref: `#/$defs/${name}` }
  }

  function write(schema: Json | undefined, level = 0, depth = 0): Json {
    if (typeof schema === 'boolean') return schema
    if (!isJsonObject(schema)) return {}
    const { $ref: to } = schema
    if (typeof to === 'string') {
      const target = reference(to, level)
      const { description } = schema
      return isJsonObject(target) && typeof description === 'string' && detail.hasDescriptions
        ? { ...target, description: shortened(description, PARAMETER_DESCRIPTION_CHARS_MAX) }
        : target
    }
    const isDeep = depth > SCHEMA_DEPTH_MAX - DEPTH_MARGIN
    if (level > detail.levelsMax || isDeep) return typeAlone(document, schema)
    return written(schema, level, depth)
  }

  function written(schema: JsonObject, level: number, depth: number): JsonObject {
    const result: { [keyword: string]: Json } = {}
    for (const [keyword, value] of Object.entries(schema)) {
      const kind = Object.hasOwn(SCHEMA_HOLDERS, keyword) ? SCHEMA_HOLDERS[keyword] : undefined
      const kept =
        kind === undefined ? plainValue(keyword, value, detail) : held(kind, value, level, depth)
      if (kept !== undefined) result[keyword] = kept
    }
    return withoutHidden(document, withNull(schema, result), schema, detail.side)
  }

  function held(kind: KeywordKind, value: Json, level: number, depth: number): Json | undefined {
    if (kind === 'schema') {
      return isSchema(value) ? write(value, level + 1, depth + 1) : undefined
    }
    if (kind === 'schemas') {
      const items = Array.isArray(value) ? value.filter(isSchema) : []
      return items.length === 0 ? undefined : items.map((item) => write(item, level, depth + 2))
    }
    if (!isJsonObject(value)) return undefined
    const members = Object.entries(value).filter(([, inner]) => isSchema(inner))
    return Object.fromEntries(
      members.map(([name, inner]) => [name, write(inner, level + 1, depth + 2)]),
    )
  }

  return {
    write,
    missing,
    definitions() {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        current = next.name
        defs[next.name] = write(next.schema, next.level)
      }
      return defs
    },
    isRecursive: () => hasCircle(edges),
  }
}

function plainValue(keyword: string, value: Json, { hasDescriptions }: Detail): Json | undefined {
  const fits = Object.hasOwn(PLAIN_KEYWORDS, keyword) ? PLAIN_KEYWORDS[keyword] : undefined
  if (fits?.(value) !== true) return undefined
  if (keyword === 'required') return [...new Set(textsOf(value))]
  if (keyword !== 'description') return value
  if (!hasDescriptions || typeof value !== 'string') return undefined
  const text = shortened(value, PARAMETER_DESCRIPTION_CHARS_MAX)
  return text === '' ? undefined : text
}

/** `nullable` of 3.0 stays beside `allOf` and in `x-nullable` when a document is upgraded. */
function withNull(schema: JsonObject, result: JsonObject): JsonObject {
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true
  const { type } = result
  if (!isNullable || type === undefined) {
    return isNullable && type === undefined && Object.keys(result).length > 0
      ? { anyOf: [result, { type: 'null' }] }
      : result
  }
  const types = Array.isArray(type) ? type : [type]
  const withEnum = Array.isArray(result['enum']) ? { enum: [...result['enum'], null] } : {}
  return types.includes('null') ? result : { ...result, ...withEnum, type: [...types, 'null'] }
}

function withoutHidden(
  document: JsonObject,
  result: JsonObject,
  schema: JsonObject,
  side: Detail['side'],
): JsonObject {
  const { properties } = result
  if (!isJsonObject(properties)) return result
  const flag = side === 'input' ? 'readOnly' : 'writeOnly'
  const hidden = Object.entries(objectOf(schema['properties']))
    .filter(
      ([, inner]) => resolved(document, inner)?.[flag] === true || objectOf(inner)[flag] === true,
    )
    .map(([name]) => name)
  if (hidden.length === 0) return result
  const shown = Object.entries(properties).filter(([name]) => !hidden.includes(name))
  const required = textsOf(result['required']).filter((name) => !hidden.includes(name))
  return {
    ...result,
    properties: Object.fromEntries(shown),
    ...(result['required'] === undefined ? {} : { required }),
  }
}

/** What is left of a schema that is too deep to keep. */
export function typeAlone(document: JsonObject, schema: JsonObject): JsonObject {
  const target = resolved(document, schema) ?? schema
  const { type } = target
  if (type !== undefined && PLAIN_KEYWORDS['type']?.(type) === true) return { type }
  return isJsonObject(target['properties']) ? { type: 'object' } : {}
}

function nameFor(to: string, taken: ReadonlySet<string>): string {
  const last = to.slice(to.lastIndexOf('/') + 1)
  const plain = last.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  let name = plain
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`
  return name
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === 'boolean'
}

function isBoolean(value: Json | undefined): boolean {
  return typeof value === 'boolean'
}

/** Depth first, without recursion: a chain of references may be long. */
function hasCircle(edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>()
  const open = new Set<string>()
  const left: { readonly name: string; readonly leave: boolean }[] = [...edges.keys()].map(
    (name) => ({ name, leave: false }),
  )
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { leave, name } = next
    if (leave) {
      open.delete(name)
      done.add(name)
    } else if (open.has(name)) return true
    else if (!done.has(name)) {
      open.add(name)
      left.push({ name, leave: true })
      for (const to of edges.get(name) ?? []) {
        if (open.has(to)) return true
        left.push({ name: to, leave: false })
      }
    }
  }
  return false
}
