/**
 * A stored skill and what the document makes of its operation now, three-way: a field that is as the
 * last import made it takes the new value; one that was edited by hand keeps the edit.
 *
 *   base (digest)   stored   new     result
 *   a               a        b       b, a change
 *   a               h        a       h, kept
 *   a               h        b       h, kept, and a conflict
 */
import type { Json, JsonObject } from '../json/json.ts'
import { breakingChanges } from './breaking-changes.ts'
import { objectOf } from './fields.ts'
import {
  digestOf,
  digestsIn,
  digestsOf,
  fieldsOf,
  type Hash,
  withFields,
  withMark,
} from './import-mark.ts'

export type FieldChange = {
  readonly field: string
  readonly from: Json | undefined
  readonly to: Json | undefined
}

export type MergedTool = {
  /** To be stored; as it is stored already when nothing changed. */
  readonly definition: JsonObject
  readonly isChanged: boolean
  readonly changes: readonly FieldChange[]
  /** Fields that were edited by hand. */
  readonly edited: readonly string[]
  /** The edited fields that the document changed as well. */
  readonly conflicts: readonly string[]
  readonly breaking: readonly string[]
}

/** The skill as the import makes it now, and the mark that it gets. */
export type MadeSkill = { readonly definition: JsonObject; readonly whose: JsonObject }

/** `keep`: edits by hand stay. `overwrite`: the import's values replace them. */
export type EditRule = 'keep' | 'overwrite'

export type MergeRule = {
  readonly edits: EditRule
  /** Fields whose edits are kept under either rule. */
  readonly keeps?: (field: string) => boolean
}

/** A skill that no import made has no base: each difference counts as an edit by hand. */
export function mergeSkill(
  given: JsonObject,
  made: MadeSkill,
  hash: Hash,
  { edits, keeps }: MergeRule = { edits: 'keep' },
): MergedTool {
  const stored = beforeRemoval(given, hash)
  const base = digestsIn(stored)
  const before = fieldsOf(stored)
  const now = fieldsOf(made.definition)
  const all = [...new Set([...now.keys(), ...before.keys()])].map((field) =>
    judgeField({ field, from: before.get(field), to: now.get(field) }, base[field], hash),
  )
  const isEdit = ({ kind }: JudgedField) => kind === 'edited' || kind === 'conflict'
  const isKept = (judged: JudgedField) =>
    isEdit(judged) && (edits === 'keep' || keeps?.(judged.field) === true)
  const result = new Map<string, Json>()
  for (const judged of all) {
    const value = isKept(judged) ? judged.from : judged.to
    if (value !== undefined) result.set(judged.field, value)
  }
  const definition = withMark(withFields(stored, result), made.whose, digestsOf(now, hash))
  const isChanged = digestOf(definition, hash) !== digestOf(given, hash)
  return {
    definition: isChanged ? definition : given,
    isChanged,
    changes: [
      ...all
        .filter((judged) => judged.kind === 'changed' || (isEdit(judged) && !isKept(judged)))
        .map(({ field, from, to }) => ({ field, from, to })),
      ...(all.some(({ field }) => field === 'state') ? [] : stateChange(given, definition)),
    ],
    edited: all.filter(isEdit).map(({ field }) => field),
    conflicts: all.filter(({ kind }) => kind === 'conflict').map(({ field }) => field),
    breaking: breakingChanges(stored, definition),
  }
}

/** Of a skill that gets a state back which was put aside when its operation went. */
function stateChange(stored: JsonObject, definition: JsonObject): readonly FieldChange[] {
  const [from, to] = [stored['state'], definition['state']]
  return from === to ? [] : [{ field: 'state', from, to }]
}

type JudgedField = FieldChange & { readonly kind: 'same' | 'changed' | 'edited' | 'conflict' }

function judgeField(change: FieldChange, base: string | undefined, hash: Hash): JudgedField {
  const from = digestIf(change.from, hash)
  const to = digestIf(change.to, hash)
  if (from === to) return { ...change, kind: 'same' }
  if (from === base) return { ...change, kind: 'changed' }
  return { ...change, kind: to === base ? 'edited' : 'conflict' }
}

/** A new skill, with the mark of its import. */
export function markedSkill({ definition, whose }: MadeSkill, hash: Hash): JsonObject {
  return withMark(definition, whose, digestsOf(fieldsOf(definition), hash))
}

/**
 * Disables a skill that the import no longer has. When its operation comes back, an import gives it the state that it had: none, or
 * the one that an administrator had set, which is put aside in the mark.
 */
export function disabledTool(stored: JsonObject, reason: string, hash: Hash): JsonObject {
  const { fields: _, ...whose } = objectOf(stored['import'])
  const was = isSetByHand(stored, hash) ? { was: stateIn(stored) } : {}
  const state = 'disabled'
  const fields = {
    ...digestsIn(stored),
    state: digestOf(state, hash),
    state_reason: digestOf(reason, hash),
  }
  return withMark({ ...stored, state, state_reason: reason }, { ...whose, ...was }, fields)
}

/** True for a skill that an import disabled, and nobody changed since. */
export function isDisabledByImport(stored: JsonObject, hash: Hash): boolean {
  const { state } = stored
  return state === 'disabled' && digestsIn(stored)['state'] === digestOf(state, hash)
}

/** True for a skill that an administrator stopped or took out of the list; no import deletes it, for that would undo it. */
export function isStoppedByHand(stored: JsonObject, hash: Hash): boolean {
  return isSetByHand(stored, hash) || hasStateAside(stored)
}

/** After a change of state by an administrator: no import takes it for its own. */
export function withStateByHand(definition: JsonObject): JsonObject {
  const { fields, was: _, ...whose } = objectOf(definition['import'])
  if (fields === undefined) return definition
  const { state: _state, state_reason: _reason, ...others } = objectOf(fields)
  return { ...definition, import: { ...whose, fields: others } }
}

function isSetByHand(stored: JsonObject, hash: Hash): boolean {
  const { state = 'listed' } = stored
  return state !== 'listed' && digestsIn(stored)['state'] !== digestOf(state, hash)
}

/** The skill as it was before an import disabled it, if an administrator had set its state. */
function beforeRemoval(stored: JsonObject, hash: Hash): JsonObject {
  if (!hasStateAside(stored) || !isDisabledByImport(stored, hash)) return stored
  const { state: _state, state_reason: _reason, ...others } = stored
  const { was } = objectOf(stored['import'])
  return withStateByHand({ ...others, ...objectOf(was) })
}

function hasStateAside(stored: JsonObject): boolean {
  return objectOf(stored['import'])['was'] !== undefined
}

function stateIn({ state, state_reason: reason }: JsonObject): JsonObject {
  return {
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { state_reason: reason }),
  }
}

function digestIf(value: Json | undefined, hash: Hash): string | undefined {
  return value === undefined ? undefined : digestOf(value, hash)
}
