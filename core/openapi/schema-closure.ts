/**
 * Writes schemas of a document as one self-contained schema: each `#/…` reference becomes a
 * reference into `$defs`, which has only the schemas that are reached. References are not inlined,
 * because the result would be unbounded if schemas refer to each other.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { isKnownTooLarge, rememberSize } from './definition-sizes.ts'
import { countMembers } from './fields.ts'
import { SCHEMA_DEPTH_MAX } from './limits.ts'
import { resolveObject } from './references.ts'
import {
  DEPTH_MARGIN,
  type Depth,
  type Detail,
  type Form,
  fitsIfWritten,
  hasCircle,
  isExtended,
  isTooLarge,
  type State,
  stopAsTooLarge,
  writeReference,
  writeShortForm,
} from './schema-definitions.ts'
import {
  type KeywordKind,
  PLAIN_KEYWORDS,
  SCHEMA_HOLDERS,
  UNWRITTEN_KEYWORDS,
} from './schema-keywords.ts'
import { makeLosses, type SchemaLosses } from './schema-losses.ts'
import { withNull, withoutOtherSide, writeDescription, writePlainValue } from './schema-parts.ts'
import { type Discriminator, findDiscriminator, hasNoSubtypes } from './subtypes.ts'
import { countSteps, spendDocumentSteps } from './work-budget.ts'

export type SchemaClosure = {
  /** Writes a schema of the document. */
  write(schema: Json | undefined): Json
  /** Writes the missing definitions. It is called after all roots are written. */
  definitions(): JsonObject
  /** True if a schema contains itself. */
  isRecursive(): boolean
  /** True if writing stopped at the limit, so that the result cannot be used. */
  isTooLarge(): boolean
  readonly losses: SchemaLosses
}

/** Makes a writer for schemas of one document. */
export function makeSchemaClosure(document: JsonObject, detail: Detail): SchemaClosure {
  const empty = { names: new Map(), waiting: [], edges: new Map() }
  const losses = makeLosses()
  const state: State = {
    document,
    detail,
    ...empty,
    losses,
    taken: new Set<string>(),
    current: '',
    references: [],
    deepest: 0,
    bytes: 0,
    nameBytes: 0,
  }
  return {
    write: (schema) => write(state, schema, { level: 0, json: 0 }),
    definitions: () => writeDefinitions(state),
    isRecursive: () => hasCircle(state.edges),
    isTooLarge: () => isTooLarge(state),
    losses,
  }
}

/** Works breadth first, so that a definition has the level of its nearest reference. */
function writeDefinitions(state: State): JsonObject {
  const { detail, document } = state
  if (isKnownTooLarge(document, detail, state)) {
    stopAsTooLarge(state)
    return {}
  }
  const defs: { [name: string]: Json } = {}
  for (let at = 0; at < state.waiting.length && !isTooLarge(state); at += 1) {
    const next = state.waiting[at]
    if (next === undefined) break
    state.current = next.name
    state.references = []
    state.deepest = next.level
    const before = state.bytes - state.nameBytes
    defs[next.name] = write(state, next.schema, { level: next.level, json: 0 }, next.form)
    if (isTooLarge(state)) break // It was not written whole.
    rememberSize(document, detail, next, {
      bytes: state.bytes - state.nameBytes - before,
      references: state.references.map((one) => ({ ...one, level: one.level - next.level })),
      levels: state.deepest - next.level,
    })
  }
  return defs
}

function write(state: State, schema: Json | undefined, depth: Depth, form: Form = 'whole'): Json {
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema) || isTooLarge(state)) return {}
  state.deepest = Math.max(state.deepest, depth.level)
  const { $ref: to } = schema
  if (typeof to === 'string') {
    return withSiblings(state, writeReference(state, to, depth, form), schema, depth)
  }
  const isDeep = depth.json > SCHEMA_DEPTH_MAX - DEPTH_MARGIN
  if (depth.level > state.detail.levelsMax || isDeep) return writeShortForm(state, schema)
  return writeOwn(state, schema, depth, form)
}

/** Adds the keywords beside a reference. A description there replaces the target's. */
function withSiblings(state: State, target: Json, schema: JsonObject, depth: Depth): Json {
  if (!isJsonObject(target) || Object.keys(schema).length === 1) return target
  const beside = writeOwn(state, schema, depth, 'base')
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true
  const one = isNullable ? { anyOf: [target, { type: 'null' }] } : target
  return { ...one, ...beside }
}

function writeOwn(state: State, schema: JsonObject, depth: Depth, form: Form): JsonObject {
  const discriminator = findDiscriminator(state.document, schema)
  if (discriminator !== undefined && discriminator.subtypes.length > 0 && form === 'whole') {
    return writeSubtypes(state, schema, discriminator, depth)
  }
  const result = writeKeywords(state, schema, depth)
  spendDocumentSteps(state.document, countSteps(schema['default']))
  const description = writeDescription(schema, discriminator, state)
  if (description !== undefined) {
    result['description'] = description
    state.bytes += description.length
  }
  const isOpen = discriminator !== undefined && hasNoSubtypes(schema, discriminator)
  if (isOpen && form === 'whole') {
    state.losses.open.add(discriminator.property)
    delete result['additionalProperties']
  }
  return withoutOtherSide(state.document, withNull(schema, result), schema, state.detail.side)
}

function writeKeywords(
  state: State,
  schema: JsonObject,
  depth: Depth,
): { [keyword: string]: Json } {
  const result: { [keyword: string]: Json } = {}
  const keywords = Object.entries(schema)
  spendDocumentSteps(state.document, keywords.length)
  for (const [keyword, value] of keywords) {
    const rewritten = writeKeyword(state, keyword, value, depth)
    if (rewritten === undefined) continue
    result[keyword] = rewritten
    state.bytes += keyword.length + (typeof rewritten === 'string' ? rewritten.length : 1) + 3
  }
  return result
}

function writeKeyword(state: State, keyword: string, value: Json, depth: Depth): Json | undefined {
  const { losses } = state
  if (UNWRITTEN_KEYWORDS.has(keyword)) return undefined
  const kind = Object.hasOwn(SCHEMA_HOLDERS, keyword) ? SCHEMA_HOLDERS[keyword] : undefined
  if (kind === undefined && !Object.hasOwn(PLAIN_KEYWORDS, keyword)) {
    losses.keywords.add(keyword)
    return undefined
  }
  if (kind === undefined) {
    if (Array.isArray(value) && !fitsIfWritten(state, value.length)) return undefined
    spendDocumentSteps(state.document, countSteps(value))
    return writePlainValue(keyword, value, losses)
  }
  const rewritten = writeInner(state, { keyword, kind }, value, depth)
  if (rewritten === undefined) losses.values.add(keyword)
  return rewritten
}

/** Writes the subtypes of a discriminator, each with the value that names it. */
function writeSubtypes(
  state: State,
  schema: JsonObject,
  discriminator: Discriminator,
  depth: Depth,
): JsonObject {
  const { property, subtypes } = discriminator
  // A subtype is about twenty times longer than the shortest possible schema.
  if (!fitsIfWritten(state, 20 * subtypes.length)) return {}
  const anyOf = subtypes.map(({ reference: to, value }): Json => {
    const isItself = resolveObject(state.document, { $ref: to }) === schema
    const target = writeReference(state, to, depth, isItself ? 'base' : 'whole')
    return { allOf: [target], properties: { [property]: { const: value } }, required: [property] }
  })
  const description = writeDescription(schema, undefined, state)
  const said = description === undefined ? {} : { description }
  return withNull(schema, { type: 'object', ...said, anyOf })
}

function writeList(state: State, keyword: string, value: Json, depth: Depth): Json | undefined {
  if (!Array.isArray(value)) return undefined
  if (!fitsIfWritten(state, value.length)) return []
  const items: readonly Json[] = value.filter(isSchema)
  if (items.length === 0) return undefined
  if (items.length < value.length) state.losses.values.add(keyword)
  const formOf = (item: Json) =>
    keyword === 'allOf' && isExtended(state.document, item) ? 'base' : 'whole'
  return items.map((item) => write(state, item, depth, formOf(item)))
}

type Holder = { readonly keyword: string; readonly kind: KeywordKind }

function writeInner(
  state: State,
  { keyword, kind }: Holder,
  value: Json,
  depth: Depth,
): Json | undefined {
  const below = { level: depth.level + 1, json: depth.json + (kind === 'schema' ? 1 : 2) }
  if (kind === 'schema') return isSchema(value) ? write(state, value, below) : undefined
  if (kind === 'schemas') {
    // Alternatives describe the same value as the schema, so they have the same level.
    return writeList(state, keyword, value, { ...below, level: depth.level })
  }
  if (!isJsonObject(value)) return undefined
  if (!fitsIfWritten(state, countMembers(value))) return {}
  const members = Object.entries(value).filter(([, inner]) => isSchema(inner))
  for (const [name, inner] of Object.entries(value)) {
    if (!isSchema(inner)) state.losses.values.add(`${keyword}/${name}`)
  }
  return Object.fromEntries(members.map(([name, inner]) => [name, write(state, inner, below)]))
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === 'boolean'
}
