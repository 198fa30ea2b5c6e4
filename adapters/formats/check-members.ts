/** Checks of keywords about objects: which members exist, and what they contain. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { DEPENDENT_KEYWORDS } from './check-in-place.ts'
import { compileTextPattern, type TextPattern } from './check-pattern.ts'
import {
  type BuildCheck,
  findNode,
  type SchemaCheck,
  type SchemaDocument,
  type SchemaNode,
  UnusableSchema,
} from './compiled-schema.ts'
import {
  allFit,
  type EvaluatedParts,
  isSure,
  noteMisfit,
  noteName,
  type SchemaRun,
  STEPS_PER_NOTE,
  spend,
  type ValuePlace,
} from './schema-run.ts'

export const OBJECT_KEYWORDS: readonly BuildCheck[] = [
  buildRequired,
  buildCount('minProperties', (count, limit) => count >= limit),
  buildCount('maxProperties', (count, limit) => count <= limit),
  buildNames,
  ...DEPENDENT_KEYWORDS,
  buildMembers,
  buildUnevaluated,
]

function buildRequired({ required }: JsonObject): SchemaCheck | undefined {
  if (required === undefined) return undefined
  if (!Array.isArray(required)) throw new UnusableSchema()
  const names = required.map(String)
  return (run, value, at) => {
    spend(run, names.length)
    return allFit(
      run,
      names,
      (name) =>
        Object.hasOwn(Object(value), name) ||
        noteMisfit(run, { above: at, key: name }, 'required', undefined),
    )
  }
}

function buildCount(
  keyword: string,
  isWithin: (count: number, limit: number) => boolean,
): BuildCheck {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return undefined
    return (run, value, at) =>
      isWithin(listNames(run, value).length, limit) || noteMisfit(run, at, keyword, limit)
  }
}

function listNames(run: SchemaRun, value: Json): readonly string[] {
  const names = Object.keys(Object(value))
  spend(run, STEPS_PER_LIST + names.length / NAMES_PER_STEP)
  return names
}

function buildNames(
  { propertyNames }: JsonObject,
  document: SchemaDocument,
): SchemaCheck | undefined {
  if (propertyNames === undefined) return undefined
  const node = findNode(propertyNames, document)
  return (run, value, at) =>
    allFit(run, listNames(run, value), (name) =>
      node.fits(run, name, { above: at, key: name }, undefined),
    )
}

/** Steps that making the list of an object's names costs. */
const STEPS_PER_LIST = 6
const NAMES_PER_STEP = 2

type Members = {
  readonly known: ReadonlyMap<string, SchemaNode>
  readonly patterns: readonly { readonly pattern: TextPattern; readonly node: SchemaNode }[]
  /** Applies to members that neither a name nor a pattern covers. */
  readonly others: SchemaNode | undefined
}

function buildMembers(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  const { additionalProperties: others, patternProperties, properties } = schema
  if (others === undefined && patternProperties === undefined && properties === undefined) {
    return undefined
  }
  const members: Members = {
    known: new Map(nodesByName(properties, document)),
    patterns: nodesByName(patternProperties, document).map(([name, node]) => ({
      pattern: compileTextPattern(name, document),
      node,
    })),
    others: others === undefined ? undefined : findNode(others, document),
  }
  return (run, value, at, evaluated) =>
    !isJsonObject(value) || checkMembers(run, members, value, { at, evaluated })
}

function nodesByName(value: Json | undefined, document: SchemaDocument): [string, SchemaNode][] {
  if (value === undefined) return []
  if (!isJsonObject(value)) throw new UnusableSchema()
  return Object.entries(value).map(([name, schema]) => [name, findNode(schema, document)])
}

type Surroundings = {
  readonly at: ValuePlace | undefined
  readonly evaluated: EvaluatedParts | undefined
}

function checkMembers(
  run: SchemaRun,
  { known, others, patterns }: Members,
  value: JsonObject,
  { at, evaluated }: Surroundings,
): boolean {
  const names = listNames(run, value)
  const checkNamed = (node: SchemaNode | undefined, name: string) =>
    (node === undefined || checkMember(run, node, value, { above: at, key: name })) &&
    noteName(run, evaluated, name)
  const named = allFit(run, listSharedNames(run, known, value, names), (name) =>
    checkNamed(known.get(name), name),
  )
  if ((patterns.length === 0 && others === undefined) || (!named && run.room === 0)) return named
  const covered = new Set<string>()
  const matching = allFit(run, patterns, ({ node, pattern }) => {
    const before = run.unknowns
    const found = names.filter((name) => pattern(run, name, { above: at, key: name }))
    const applied = isSure(run, before) ? node : undefined
    if (others !== undefined) {
      spend(run, STEPS_PER_NOTE * found.length)
      for (const name of found) covered.add(name)
    }
    return allFit(run, found, (name) => checkNamed(applied, name))
  })
  if (others === undefined || (!matching && run.room === 0)) return named && matching
  const otherNames = names.filter((name) => !known.has(name) && !covered.has(name))
  return allFit(run, otherNames, (name) => checkNamed(others, name)) && named && matching
}

function checkMember(
  run: SchemaRun,
  node: SchemaNode,
  value: JsonObject,
  at: ValuePlace & { readonly key: string },
): boolean {
  return node.fits(run, value[at.key] ?? null, at, undefined)
}

/**
 * Names that both schema and value have, in the schema's order, so that errors have it too; in the
 * value's order if the value has far fewer names.
 */
function listSharedNames(
  run: SchemaRun,
  known: ReadonlyMap<string, SchemaNode>,
  value: JsonObject,
  names: readonly string[],
): readonly string[] {
  if (names.length * NAMES_RATIO_MAX < known.size) return names.filter((name) => known.has(name))
  spend(run, known.size / NAMES_PER_STEP)
  return [...known.keys()].filter((name) => Object.hasOwn(value, name))
}

/** The value's order is used if the schema has more than this many times as many names. */
const NAMES_RATIO_MAX = 4

function buildUnevaluated(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  const { unevaluatedProperties } = schema
  if (unevaluatedProperties === undefined) return undefined
  const node = findNode(unevaluatedProperties, document)
  return (run, value, at, evaluated) => {
    const otherNames = listNames(run, value).filter((name) => evaluated?.names.has(name) !== true)
    return allFit(
      run,
      otherNames,
      (name) =>
        checkMember(run, node, value as JsonObject, { above: at, key: name }) &&
        noteName(run, evaluated, name),
    )
  }
}
