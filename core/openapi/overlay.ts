/**
 * Applies an Overlay document (1.0) to an OpenAPI document. Its actions run in order; each updates
 * or removes the places that its JSONPath matches. With an overlay, a user can adapt someone else's
 * document without editing it.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { countBytes } from '../json/text-bytes.ts'
import { asList } from './fields.ts'
import { findPlaces, type Place, parseJsonPath } from './json-path.ts'
import { OVERLAY_ACTIONS_MAX, OVERLAY_BYTES_MAX, OVERLAY_PLACES_MAX } from './limits.ts'
import { makeBudget, spend, type WorkBudget, withinBudget } from './work-budget.ts'

/** Applies the overlay. Refuses with `too_large` if it needs more steps than the budget has. */
export function applyOverlay(
  document: JsonObject,
  overlay: JsonObject,
  budget: WorkBudget = makeBudget(),
): Result<JsonObject> {
  return withinBudget(() =>
    applyActions(document, overlay, { budget, bytesLeft: OVERLAY_BYTES_MAX }),
  )
}

/** The limits that remain for all further actions. */
type Remaining = { readonly budget: WorkBudget; bytesLeft: number }

function applyActions(
  document: JsonObject,
  overlay: JsonObject,
  left: Remaining,
): Result<JsonObject> {
  const actions = asList(overlay['actions'])
  const isOverlay = typeof overlay['overlay'] === 'string' && /^1\.\d/.test(overlay['overlay'])
  if (!isOverlay || actions.length === 0 || actions.length > OVERLAY_ACTIONS_MAX) {
    const wanted = `an Overlay document: "overlay": "1.0.0" and 1 to ${OVERLAY_ACTIONS_MAX} actions`
    return refuse('invalid_arguments', `overlay: is not ${wanted}.`)
  }
  let at: JsonObject = document
  for (const [index, action] of actions.entries()) {
    const done = applyAction(at, action, left)
    if (typeof done === 'string') return refuseAction(index, done)
    if (!isJsonObject(done)) return refuseAction(index, 'replaces the document')
    at = done
  }
  return ok(at)
}

/** Returns the document after one action; a text explains why the action is refused. */
function applyAction(document: JsonObject, action: Json, left: Remaining): Json {
  if (!isJsonObject(action)) return WANTED
  const { remove, target, update } = action
  const path = typeof target === 'string' ? parseJsonPath(target) : undefined
  if (path === undefined) return WANTED
  const takeSteps = (steps: number) => spend(left.budget, 'overlay', steps)
  const places = findPlaces(document, path, OVERLAY_PLACES_MAX, takeSteps)
  if (places === undefined) return `names over ${OVERLAY_PLACES_MAX} places; name fewer`
  if (remove !== true) {
    if (update === undefined) return document
    // Counted before a copy is made: repeated updates of all places could double a document each
    // time.
    left.bytesLeft -= places.length * countBytes(JSON.stringify(update))
    if (left.bytesLeft < 0) return TOO_MUCH
  }
  const change: Change = remove === true ? 'remove' : { update: update ?? null }
  return applyChange(document, makeTree(places), { change, takeSteps })
}

const TOO_MUCH = `makes the updates over ${OVERLAY_BYTES_MAX} bytes, each counted at every place; name fewer places, or add less`

const WANTED =
  'has no target that can be read: a JSONPath of .name, [\'name\'], [0], .*, ..name and [?@.name == "value"]'

function refuseAction(index: number, message: string): Result<never> {
  const fault = { pointer: `/overlay/actions/${index}`, message }
  return refuse('invalid_arguments', `overlay: action ${index} ${message}.`, { faults: [fault] })
}

type Change = 'remove' | { readonly update: Json }
type Work = { readonly change: Change; takeSteps(steps: number): void }

/** Places as a tree of their keys, so that each object and array above them is copied once. */
type Tree = { isPlace: boolean; readonly below: Map<string | number, Tree> }

function makeTree(places: readonly Place[]): Tree {
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

/** Changes the deepest places first, so that an update of a place includes those below. */
function applyChange(value: Json, { below, isPlace }: Tree, work: Work): Json {
  const inside = below.size === 0 ? value : changeChildren(value, below, work)
  return isPlace && work.change !== 'remove'
    ? mergeUpdate(inside, work.change.update, work.takeSteps)
    : inside
}

function changeChildren(value: Json, below: Tree['below'], work: Work): Json {
  const isKept = (key: string | number) =>
    work.change !== 'remove' || below.get(key)?.isPlace !== true
  const child = (inner: Json, key: string | number) => {
    const tree = below.get(key)
    return tree === undefined ? inner : applyChange(inner, tree, work)
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

/** Merges objects, appends to lists, and replaces any other value. */
function mergeUpdate(value: Json, update: Json, takeSteps: Work['takeSteps']): Json {
  if (Array.isArray(value)) {
    takeSteps(value.length)
    return [...value, ...(Array.isArray(update) ? update : [update])]
  }
  if (!isJsonObject(value) || !isJsonObject(update)) return update
  const changes = Object.entries(update).map(([name, one]): [string, Json] => {
    const old = Object.hasOwn(value, name) ? value[name] : undefined
    return [name, old === undefined ? one : mergeUpdate(old, one, takeSteps)]
  })
  takeSteps(changes.length + Object.keys(value).length)
  return { ...value, ...Object.fromEntries(changes) }
}
