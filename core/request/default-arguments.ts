/**
 * Adds arguments that a caller left out and for which the skill's schema has a `default`
 * (docs/wire.md, Where an argument goes). Defaults are found only through `properties`: `$ref` and
 * alternatives are not followed. No object is created only for a default inside it.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

type Default = { readonly value?: Json; readonly inner: Defaults | undefined }
type Defaults = readonly (readonly [name: string, one: Default])[]

/** Defaults by schema. The keys are weak, so that the cache keeps no schema in memory. */
const cache = new WeakMap<JsonObject, { readonly defaults: Defaults | undefined }>()

/** Returns the arguments with defaults; the same object if there is nothing to add. */
export function withDefaults(parameters: JsonObject, args: JsonObject): JsonObject {
  const defaults = cachedDefaults(parameters)
  return defaults === undefined ? args : addDefaults(defaults, args)
}

/**
 * Returns one value that has every default and nothing else; undefined without defaults. `at` has
 * the path of each default in that value.
 */
export function makeDefaultsSample(
  parameters: JsonObject,
): { readonly value: JsonObject; readonly at: readonly (readonly string[])[] } | undefined {
  const defaults = cachedDefaults(parameters)
  return defaults === undefined
    ? undefined
    : { value: makeSample(defaults), at: listPaths(defaults, []) }
}

function cachedDefaults(schema: JsonObject): Defaults | undefined {
  const cached = cache.get(schema)
  if (cached !== undefined) return cached.defaults
  const defaults = findDefaults(schema)
  cache.set(schema, { defaults })
  return defaults
}

/** PARAMETERS_DEPTH_MAX bounds the recursion. */
function findDefaults({ properties }: JsonObject): Defaults | undefined {
  if (!isJsonObject(properties)) return undefined
  const found = Object.entries(properties).flatMap(([name, schema]) => {
    if (!isJsonObject(schema)) return []
    const inner = findDefaults(schema)
    const own = Object.hasOwn(schema, 'default') ? { value: schema['default'] ?? null } : undefined
    if (own === undefined && inner === undefined) return []
    return [[name, { ...own, inner }] as const]
  })
  return found.length === 0 ? undefined : found
}

function addDefaults(defaults: Defaults, args: JsonObject): JsonObject {
  const added = defaults.flatMap(([name, { inner, value }]) => {
    const given = Object.hasOwn(args, name) ? args[name] : undefined
    const sent = given === undefined ? value : addInnerDefaults(inner, given)
    return sent === undefined || sent === given ? [] : [[name, sent] as const]
  })
  return added.length === 0 ? args : Object.fromEntries([...Object.entries(args), ...added])
}

function addInnerDefaults(defaults: Defaults | undefined, value: Json): Json {
  return defaults === undefined || !isJsonObject(value) ? value : addDefaults(defaults, value)
}

function makeSample(defaults: Defaults): JsonObject {
  return Object.fromEntries(
    defaults.map(([name, { inner, value }]) => [
      name,
      value !== undefined || inner === undefined ? (value ?? null) : makeSample(inner),
    ]),
  )
}

function listPaths(defaults: Defaults, above: readonly string[]): readonly (readonly string[])[] {
  return defaults.flatMap(([name, { inner, value }]) => {
    const at = [...above, name]
    if (value !== undefined) return [at]
    return inner === undefined ? [] : listPaths(inner, at)
  })
}
