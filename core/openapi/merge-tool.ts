/**
 * Merges a stored skill with the skill that the document makes now. A field that still has the
 * value of the last import takes the new value; a field that was edited by hand keeps the edit.
 *
 *   base (digest)   stored   new     result
 *   a               a        b       b, a change
 *   a               h        a       h, kept
 *   a               h        b       h, kept, and a conflict
 */
import type { Json, JsonObject } from '../json/json.ts'
import { findBreakingChanges } from './breaking-changes.ts'
import { asObject } from './fields.ts'
import {
  digestFields,
  digestValue,
  type Hash,
  listFields,
  readFieldDigests,
  withFields,
  withImportMark,
} from './import-mark.ts'

export type FieldChange = {
  readonly field: string
  readonly from: Json | undefined
  readonly to: Json | undefined
}

export type MergedTool = {
  /** The definition to store; the stored one if nothing changed. */
  readonly definition: JsonObject
  readonly isChanged: boolean
  readonly changes: readonly FieldChange[]
  /** Fields that were edited by hand. */
  readonly edited: readonly string[]
  /** Edited fields that the document changed, too. */
  readonly conflicts: readonly string[]
  readonly breaking: readonly string[]
}

/** The skill that the import makes now, and the members of its mark that name the import. */
export type MadeSkill = { readonly definition: JsonObject; readonly whose: JsonObject }

/** `keep` keeps edits by hand. `overwrite` replaces them by the import's values. */
export type EditRule = 'keep' | 'overwrite'

export type MergeRule = {
  readonly edits: EditRule
  /** True for fields whose edits are kept under either rule. */
  readonly keeps?: (field: string) => boolean
}

/**
 * Merges a skill. A skill that no import made has no base, so each difference is an edit by hand.
 */
export function mergeSkill(
  given: JsonObject,
  made: MadeSkill,
  hash: Hash,
  { edits, keeps }: MergeRule = { edits: 'keep' },
): MergedTool {
  const stored = restoreState(given, hash)
  const base = readFieldDigests(stored)
  const before = listFields(stored)
  const now = listFields(made.definition)
  const all = [...new Set([...now.keys(), ...before.keys()])].map((field) =>
    compareField({ field, from: before.get(field), to: now.get(field) }, base[field], hash),
  )
  const isEdit = ({ kind }: ComparedField) => kind === 'edited' || kind === 'conflict'
  const isKept = (one: ComparedField) =>
    isEdit(one) && (edits === 'keep' || keeps?.(one.field) === true)
  const result = new Map<string, Json>()
  for (const one of all) {
    const value = isKept(one) ? one.from : one.to
    if (value !== undefined) result.set(one.field, value)
  }
  const definition = withImportMark(withFields(stored, result), made.whose, digestFields(now, hash))
  const isChanged = digestValue(definition, hash) !== digestValue(given, hash)
  return {
    definition: isChanged ? definition : given,
    isChanged,
    changes: [
      ...all
        .filter((one) => one.kind === 'changed' || (isEdit(one) && !isKept(one)))
        .map(({ field, from, to }) => ({ field, from, to })),
      ...(all.some(({ field }) => field === 'state') ? [] : findStateChange(given, definition)),
    ],
    edited: all.filter(isEdit).map(({ field }) => field),
    conflicts: all.filter(({ kind }) => kind === 'conflict').map(({ field }) => field),
    breaking: findBreakingChanges(stored, definition),
  }
}

/** Reports the state that a skill gets back after its operation was removed and added again. */
function findStateChange(stored: JsonObject, definition: JsonObject): readonly FieldChange[] {
  const [from, to] = [stored['state'], definition['state']]
  return from === to ? [] : [{ field: 'state', from, to }]
}

type ComparedField = FieldChange & { readonly kind: 'same' | 'changed' | 'edited' | 'conflict' }

function compareField(change: FieldChange, base: string | undefined, hash: Hash): ComparedField {
  const from = toDigest(change.from, hash)
  const to = toDigest(change.to, hash)
  if (from === to) return { ...change, kind: 'same' }
  if (from === base) return { ...change, kind: 'changed' }
  return { ...change, kind: to === base ? 'edited' : 'conflict' }
}

/** Returns a new skill with the mark of its import. */
export function markSkill({ definition, whose }: MadeSkill, hash: Hash): JsonObject {
  return withImportMark(definition, whose, digestFields(listFields(definition), hash))
}

/**
 * Disables a skill whose operation is no longer in the import. The mark stores a state that an
 * administrator had set, so that a later import with the operation restores it.
 */
export function disableTool(stored: JsonObject, reason: string, hash: Hash): JsonObject {
  return withImportState(stored, { state: 'disabled', reason }, hash)
}

/**
 * Holds a skill whose tool has changed until an administrator approves the change: it stays listed,
 * and its calls are refused. A skill that an administrator has hidden stays hidden.
 */
export function holdTool(stored: JsonObject, reason: string, hash: Hash): JsonObject {
  const mark = { ...asObject(stored['import']), held: true }
  const held = { ...stored, import: mark }
  const isByHand = isSetByHand(stored, hash)
  if (isByHand && stored['state'] === 'disabled') return held
  const state = isByHand || hasStoredState(stored) ? 'disabled' : 'review'
  return withImportState(held, { state, reason }, hash)
}

/** Frees a skill that {@link holdTool} holds, with its definition as it is. */
export function freeTool(stored: JsonObject, hash: Hash): JsonObject {
  const { held: _, ...mark } = asObject(stored['import'])
  const free = restoreState({ ...stored, import: mark }, hash)
  const isOurs = readFieldDigests(free)['state'] === digestValue(free['state'] ?? '', hash)
  if (!isOurs) return free
  const { state: _state, state_reason: _reason, ...rest } = free
  return withStateByHand(rest)
}

/** True for a skill that {@link holdTool} holds: only an approval frees it. */
export function isHeldTool(stored: JsonObject): boolean {
  return asObject(stored['import'])['held'] === true
}

function withImportState(
  stored: JsonObject,
  { reason, state }: { readonly state: 'disabled' | 'review'; readonly reason: string },
  hash: Hash,
): JsonObject {
  const { fields: _, ...whose } = asObject(stored['import'])
  const was = isSetByHand(stored, hash) ? { was: pickState(stored) } : {}
  const fields = {
    ...readFieldDigests(stored),
    state: digestValue(state, hash),
    state_reason: digestValue(reason, hash),
  }
  return withImportMark({ ...stored, state, state_reason: reason }, { ...whose, ...was }, fields)
}

/** True for a skill that an import disabled and whose state was not changed since. */
export function isDisabledByImport(stored: JsonObject, hash: Hash): boolean {
  const { state } = stored
  return state === 'disabled' && readFieldDigests(stored)['state'] === digestValue(state, hash)
}

/** True if an administrator stopped or unlisted the skill. Imports keep it, so that this lasts. */
export function isStoppedByHand(stored: JsonObject, hash: Hash): boolean {
  return isSetByHand(stored, hash) || hasStoredState(stored)
}

/** Marks a state as set by an administrator, so that no import treats it as its own. */
export function withStateByHand(definition: JsonObject): JsonObject {
  const { fields, was: _, ...whose } = asObject(definition['import'])
  if (fields === undefined) return definition
  const { state: _state, state_reason: _reason, ...others } = asObject(fields)
  return { ...definition, import: { ...whose, fields: others } }
}

function isSetByHand(stored: JsonObject, hash: Hash): boolean {
  const { state = 'listed' } = stored
  return state !== 'listed' && readFieldDigests(stored)['state'] !== digestValue(state, hash)
}

/** Restores a state that an administrator had set before an import disabled the skill. */
function restoreState(stored: JsonObject, hash: Hash): JsonObject {
  if (!hasStoredState(stored) || !isDisabledByImport(stored, hash)) return stored
  const { state: _state, state_reason: _reason, ...others } = stored
  const { was } = asObject(stored['import'])
  return withStateByHand({ ...others, ...asObject(was) })
}

function hasStoredState(stored: JsonObject): boolean {
  return asObject(stored['import'])['was'] !== undefined
}

function pickState({ state, state_reason: reason }: JsonObject): JsonObject {
  return {
    ...(state === undefined ? {} : { state }),
    ...(reason === undefined ? {} : { state_reason: reason }),
  }
}

function toDigest(value: Json | undefined, hash: Hash): string | undefined {
  return value === undefined ? undefined : digestValue(value, hash)
}
