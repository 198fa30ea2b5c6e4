/**
 * Arguments that a caller left out and the skill's schema has a `default` for, as they are sent to the
 * upstream (docs/wire.md, Where an argument goes). Found through `properties` alone: `$ref` and
 * alternatives are not followed, and no object is made to hold a default.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

type Default = { readonly value?: Json; readonly inner: Defaults | undefined }
type Defaults = readonly (readonly [name: string, one: Default])[]

/** Keyed weakly, so that the cache keeps no schema alive. */
const known = new WeakMap<JsonObject, { readonly defaults: Defaults | undefined }>()

/** The same object when nothing is left out. */
export function withDefaults(parameters: JsonObject, args: JsonObject): JsonObject {
  const defaults = defaultsOf(parameters)
  return defaults === undefined ? args : filled(defaults, args)
}

/**
 * One value with every default, in objects that hold nothing else; undefined without defaults. `at`
 * lists the place of each default in it.
 */
export function allDefaults(
  parameters: JsonObject,
): { readonly value: JsonObject; readonly at: readonly (readonly string[])[] } | undefined {
  const defaults = defaultsOf(parameters)
  return defaults === undefined
    ? undefined
    : { value: sampleOf(defaults), at: placesOf(defaults, []) }
}

function defaultsOf(schema: JsonObject): Defaults | undefined {
  const cached = known.get(schema)
  if (cached !== undefined) return cached.defaults
  const defaults = findDefaults(schema)
  known.set(schema, { defaults })
  return defaults
}

/** Recursion is bounded by PARAMETERS_DEPTH_MAX. */
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

function filled(defaults: Defaults, args: JsonObject): JsonObject {
  const added = defaults.flatMap(([name, { inner, value }]) => {
    const given = Object.hasOwn(args, name) ? args[name] : undefined
    const sent = given === undefined ? value : filledInside(inner, given)
    return sent === undefined || sent === given ? [] : [[name, sent] as const]
  })
  return added.length === 0 ? args : Object.fromEntries([...Object.entries(args), ...added])
}

function filledInside(defaults: Defaults | undefined, value: Json): Json {
  return defaults === undefined || !isJsonObject(value) ? value : filled(defaults, value)
}

function sampleOf(defaults: Defaults): JsonObject {
  return Object.fromEntries(
    defaults.map(([name, { inner, value }]) => [
      name,
      value !== undefined || inner === undefined ? (value ?? null) : sampleOf(inner),
    ]),
  )
}

function placesOf(defaults: Defaults, above: readonly string[]): readonly (readonly string[])[] {
  return defaults.flatMap(([name, { inner, value }]) => {
    const at = [...above, name]
    if (value !== undefined) return [at]
    return inner === undefined ? [] : placesOf(inner, at)
  })
}
