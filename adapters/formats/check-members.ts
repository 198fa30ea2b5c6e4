/** Keywords about objects: which members there are, and what they hold. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { DEPENDENT } from './check-in-place.ts'
import { type TextPattern, textPattern } from './check-pattern.ts'
import {
  type Build,
  type Check,
  type Document,
  type Node,
  nodeOf,
  UnusableSchema,
} from './compiled-schema.ts'
import {
  allFit,
  type Evaluated,
  isSure,
  misfit,
  noteName,
  type Place,
  type Run,
  STEPS_PER_NOTE,
  spend,
} from './schema-run.ts'

export const MEMBERS: readonly Build[] = [
  requiredOf,
  countOf('minProperties', (count, limit) => count >= limit),
  countOf('maxProperties', (count, limit) => count <= limit),
  namesOf,
  ...DEPENDENT,
  membersOf,
  unevaluatedOf,
]

function requiredOf({ required }: JsonObject): Check | undefined {
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
        misfit(run, { above: at, key: name }, 'required', undefined),
    )
  }
}

function countOf(keyword: string, isWithin: (count: number, limit: number) => boolean): Build {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return undefined
    return (run, value, at) =>
      isWithin(namesIn(run, value).length, limit) || misfit(run, at, keyword, limit)
  }
}

function namesIn(run: Run, value: Json): readonly string[] {
  const names = Object.keys(Object(value))
  spend(run, STEPS_PER_LIST + names.length / NAMES_PER_STEP)
  return names
}

function namesOf({ propertyNames }: JsonObject, document: Document): Check | undefined {
  if (propertyNames === undefined) return undefined
  const node = nodeOf(propertyNames, document)
  return (run, value, at) =>
    allFit(run, namesIn(run, value), (name) =>
      node.fits(run, name, { above: at, key: name }, undefined),
    )
}

/** Steps for making the list of an object's names. */
const STEPS_PER_LIST = 6
const NAMES_PER_STEP = 2

type Members = {
  readonly known: ReadonlyMap<string, Node>
  readonly patterns: readonly { readonly pattern: TextPattern; readonly node: Node }[]
  /** For members that nothing above names. */
  readonly others: Node | undefined
}

function membersOf(schema: JsonObject, document: Document): Check | undefined {
  const { additionalProperties: others, patternProperties, properties } = schema
  if (others === undefined && patternProperties === undefined && properties === undefined) {
    return undefined
  }
  const members: Members = {
    known: new Map(nodesByName(properties, document)),
    patterns: nodesByName(patternProperties, document).map(([name, node]) => ({
      pattern: textPattern(name, document),
      node,
    })),
    others: others === undefined ? undefined : nodeOf(others, document),
  }
  return (run, value, at, evaluated) =>
    !isJsonObject(value) || fitMembers(run, members, value, { at, evaluated })
}

function nodesByName(value: Json | undefined, document: Document): [string, Node][] {
  if (value === undefined) return []
  if (!isJsonObject(value)) throw new UnusableSchema()
  return Object.entries(value).map(([name, schema]) => [name, nodeOf(schema, document)])
}

type Around = { readonly at: Place | undefined; readonly evaluated: Evaluated | undefined }

function fitMembers(
  run: Run,
  { known, others, patterns }: Members,
  value: JsonObject,
  { at, evaluated }: Around,
): boolean {
  const names = namesIn(run, value)
  const meet = (node: Node | undefined, name: string) =>
    (node === undefined || fitsMember(run, node, value, { above: at, key: name })) &&
    noteName(run, evaluated, name)
  const named = allFit(run, inBoth(run, known, value, names), (name) => meet(known.get(name), name))
  if ((patterns.length === 0 && others === undefined) || (!named && run.room === 0)) return named
  const covered = new Set<string>()
  const matching = allFit(run, patterns, ({ node, pattern }) => {
    const before = run.unknowns
    const found = names.filter((name) => pattern(run, name, { above: at, key: name }))
    const judged = isSure(run, before) ? node : undefined
    if (others !== undefined) {
      spend(run, STEPS_PER_NOTE * found.length)
      for (const name of found) covered.add(name)
    }
    return allFit(run, found, (name) => meet(judged, name))
  })
  if (others === undefined || (!matching && run.room === 0)) return named && matching
  const otherNames = names.filter((name) => !known.has(name) && !covered.has(name))
  return allFit(run, otherNames, (name) => meet(others, name)) && named && matching
}

function fitsMember(
  run: Run,
  node: Node,
  value: JsonObject,
  at: Place & { readonly key: string },
): boolean {
  return node.fits(run, value[at.key] ?? null, at, undefined)
}

/** In the order of the schema, which faults then have, too; in the value's order where it has far fewer names. */
function inBoth(
  run: Run,
  known: ReadonlyMap<string, Node>,
  value: JsonObject,
  names: readonly string[],
): readonly string[] {
  if (names.length * FEWER < known.size) return names.filter((name) => known.has(name))
  spend(run, known.size / NAMES_PER_STEP)
  return [...known.keys()].filter((name) => Object.hasOwn(value, name))
}

/** The schema has more than this many times as many names as the value. */
const FEWER = 4

function unevaluatedOf(schema: JsonObject, document: Document): Check | undefined {
  const { unevaluatedProperties } = schema
  if (unevaluatedProperties === undefined) return undefined
  const node = nodeOf(unevaluatedProperties, document)
  return (run, value, at, evaluated) => {
    const otherNames = namesIn(run, value).filter((name) => evaluated?.names.has(name) !== true)
    return allFit(
      run,
      otherNames,
      (name) =>
        fitsMember(run, node, value as JsonObject, { above: at, key: name }) &&
        noteName(run, evaluated, name),
    )
  }
}
