/**
 * An Overlay document (1.0) applied to an OpenAPI document: actions in order, each updating or removing
 * the places that its JSONPath names. It is how owners of a copy curate it without changing it.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf } from './fields.ts'
import { type Path, parseJsonPath, pathsAt } from './json-path.ts'
import { OVERLAY_ACTIONS_MAX, OVERLAY_PLACES_MAX } from './limits.ts'

export function applyOverlay(document: JsonObject, overlay: JsonObject): Result<JsonObject> {
  const actions = listOf(overlay['actions'])
  const isOverlay = typeof overlay['overlay'] === 'string' && /^1\.\d/.test(overlay['overlay'])
  if (!isOverlay || actions.length === 0 || actions.length > OVERLAY_ACTIONS_MAX) {
    const wanted = `an Overlay document: "overlay": "1.0.0" and 1 to ${OVERLAY_ACTIONS_MAX} actions`
    return refuse('invalid_arguments', `overlay: is not ${wanted}.`)
  }
  let at: JsonObject = document
  for (const [index, action] of actions.entries()) {
    const done = afterAction(at, action)
    if (typeof done === 'string') return badAction(index, done)
    if (!isJsonObject(done)) return badAction(index, 'replaces the document')
    at = done
  }
  return ok(at)
}

/** The document after one action, or the fault of the action. */
function afterAction(document: JsonObject, action: Json): Json {
  if (!isJsonObject(action)) return WANTED
  const { remove, target, update } = action
  const path = typeof target === 'string' ? parseJsonPath(target) : undefined
  if (path === undefined) return WANTED
  const places = pathsAt(document, path, OVERLAY_PLACES_MAX)
  if (places === undefined) return `names over ${OVERLAY_PLACES_MAX} places; name fewer`
  // From the last place on, so that removed items do not move those that are still to be removed.
  return places
    .toReversed()
    .reduce<Json>(
      (at, place) => (remove === true ? removed(at, place) : updated(at, place, update)),
      document,
    )
}

const WANTED =
  'has no target that can be read: a JSONPath of .name, [\'name\'], [0], .*, ..name and [?@.name == "value"]'

function badAction(index: number, message: string): Result<never> {
  const fault = { pointer: `/overlay/actions/${index}`, message }
  return refuse('invalid_arguments', `overlay: action ${index} ${message}.`, { faults: [fault] })
}

function updated(value: Json, [part, ...rest]: Path, update: Json | undefined): Json {
  if (update === undefined) return value
  if (part === undefined) return merged(value, update)
  return withChild(value, part, (child) => updated(child, rest, update))
}

/** Objects are merged, lists get items at their end, anything else is replaced. */
function merged(value: Json, update: Json): Json {
  if (Array.isArray(value)) return [...value, ...(Array.isArray(update) ? update : [update])]
  if (!isJsonObject(value) || !isJsonObject(update)) return update
  const changed = Object.entries(update).map(([name, one]): [string, Json] => {
    const old = Object.hasOwn(value, name) ? value[name] : undefined
    return [name, old === undefined ? one : merged(old, one)]
  })
  return { ...value, ...Object.fromEntries(changed) }
}

function removed(value: Json, [part, ...rest]: Path): Json {
  if (part === undefined) return value
  if (rest.length > 0) return withChild(value, part, (child) => removed(child, rest))
  if (Array.isArray(value)) return value.filter((_: Json, index) => index !== part)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== part))
}

function withChild(value: Json, part: string | number, change: (child: Json) => Json): Json {
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => (index === part ? change(item) : item))
  }
  if (!isJsonObject(value) || typeof part !== 'string' || !Object.hasOwn(value, part)) return value
  return { ...value, [part]: change(value[part] ?? null) }
}
