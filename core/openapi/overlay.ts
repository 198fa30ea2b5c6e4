/**
 * An Overlay document (1.0) applied to an OpenAPI document: actions in order, each updating or removing
 * the places that its JSONPath names. It is how owners of a copy curate it without changing it.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { bytesOf } from '../json/text-bytes.ts'
import { listOf } from './fields.ts'
import { type Place, parseJsonPath, placesAt } from './json-path.ts'
import { OVERLAY_ACTIONS_MAX, OVERLAY_BYTES_MAX, OVERLAY_PLACES_MAX } from './limits.ts'
import { newBudget, spend, type WorkBudget, withinBudget } from './work-budget.ts'

/** Refuses with `too_large` an overlay that takes more steps than the budget has left. */
export function applyOverlay(
  document: JsonObject,
  overlay: JsonObject,
  budget: WorkBudget = newBudget(),
): Result<JsonObject> {
  return withinBudget(() =>
    withActions(document, overlay, { budget, bytesLeft: OVERLAY_BYTES_MAX }),
  )
}

/** What the actions may still do, all together. */
type Left = { readonly budget: WorkBudget; bytesLeft: number }

function withActions(document: JsonObject, overlay: JsonObject, left: Left): Result<JsonObject> {
  const actions = listOf(overlay['actions'])
  const isOverlay = typeof overlay['overlay'] === 'string' && /^1\.\d/.test(overlay['overlay'])
  if (!isOverlay || actions.length === 0 || actions.length > OVERLAY_ACTIONS_MAX) {
    const wanted = `an Overlay document: "overlay": "1.0.0" and 1 to ${OVERLAY_ACTIONS_MAX} actions`
    return refuse('invalid_arguments', `overlay: is not ${wanted}.`)
  }
  let at: JsonObject = document
  for (const [index, action] of actions.entries()) {
    const done = afterAction(at, action, left)
    if (typeof done === 'string') return badAction(index, done)
    if (!isJsonObject(done)) return badAction(index, 'replaces the document')
    at = done
  }
  return ok(at)
}

/** The document after one action, or the fault of the action. */
function afterAction(document: JsonObject, action: Json, left: Left): Json {
  if (!isJsonObject(action)) return WANTED
  const { remove, target, update } = action
  const path = typeof target === 'string' ? parseJsonPath(target) : undefined
  if (path === undefined) return WANTED
  const takeSteps = (steps: number) => spend(left.budget, 'overlay', steps)
  const places = placesAt(document, path, OVERLAY_PLACES_MAX, takeSteps)
  if (places === undefined) return `names over ${OVERLAY_PLACES_MAX} places; name fewer`
  if (remove !== true) {
    if (update === undefined) return document
    // Counted before anything is copied: an update that is added at each place of the last one doubles a document.
    left.bytesLeft -= places.length * bytesOf(JSON.stringify(update))
    if (left.bytesLeft < 0) return TOO_MUCH
  }
  const change: Change = remove === true ? 'remove' : { update: update ?? null }
  return changed(document, treeOf(places), { change, takeSteps })
}

const TOO_MUCH = `makes the updates over ${OVERLAY_BYTES_MAX} bytes, each counted at every place; name fewer places, or add less`

const WANTED =
  'has no target that can be read: a JSONPath of .name, [\'name\'], [0], .*, ..name and [?@.name == "value"]'

function badAction(index: number, message: string): Result<never> {
  const fault = { pointer: `/overlay/actions/${index}`, message }
  return refuse('invalid_arguments', `overlay: action ${index} ${message}.`, { faults: [fault] })
}

type Change = 'remove' | { readonly update: Json }
type Work = { readonly change: Change; takeSteps(steps: number): void }

/** Places by their keys, so that each object and array above them is copied once. */
type Tree = { isPlace: boolean; readonly below: Map<string | number, Tree> }

function treeOf(places: readonly Place[]): Tree {
  const root: Tree = { isPlace: false, below: new Map() }
  const known = new Map<Place, Tree>()
  const treeAt = (place: Place): Tree => {
    const found = known.get(place)
    if (found !== undefined) return found
    const tree = place.above === undefined ? root : { isPlace: false, below: new Map() }
    known.set(place, tree)
    if (place.above !== undefined) treeAt(place.above).below.set(place.key, tree)
    return tree
  }
  for (const place of places) treeAt(place).isPlace = true
  return root
}

/** Changes what lies deepest first, so that an update at a place sees those below it. */
function changed(value: Json, { below, isPlace }: Tree, work: Work): Json {
  const inside = below.size === 0 ? value : withChildren(value, below, work)
  return isPlace && work.change !== 'remove'
    ? merged(inside, work.change.update, work.takeSteps)
    : inside
}

function withChildren(value: Json, below: Tree['below'], work: Work): Json {
  const isKept = (key: string | number) =>
    work.change !== 'remove' || below.get(key)?.isPlace !== true
  const child = (inner: Json, key: string | number) => {
    const tree = below.get(key)
    return tree === undefined ? inner : changed(inner, tree, work)
  }
  if (Array.isArray(value)) {
    work.takeSteps(value.length)
    return value.flatMap((item: Json, index) => (isKept(index) ? [child(item, index)] : []))
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  work.takeSteps(entries.length)
  return Object.fromEntries(
    entries.flatMap(([name, inner]): [string, Json][] =>
      isKept(name) ? [[name, child(inner, name)]] : [],
    ),
  )
}

/** Objects are merged, lists get items at their end, anything else is replaced. */
function merged(value: Json, update: Json, takeSteps: Work['takeSteps']): Json {
  if (Array.isArray(value)) {
    takeSteps(value.length)
    return [...value, ...(Array.isArray(update) ? update : [update])]
  }
  if (!isJsonObject(value) || !isJsonObject(update)) return update
  const changes = Object.entries(update).map(([name, one]): [string, Json] => {
    const old = Object.hasOwn(value, name) ? value[name] : undefined
    return [name, old === undefined ? one : merged(old, one, takeSteps)]
  })
  takeSteps(changes.length + Object.keys(value).length)
  return { ...value, ...Object.fromEntries(changes) }
}
