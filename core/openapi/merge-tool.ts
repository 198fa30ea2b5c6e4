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

/** A skill that no import made has no base: each difference counts as an edit by hand. */
export function mergeSkill(
  stored: JsonObject,
  made: MadeSkill,
  hash: Hash,
  edits: EditRule = 'keep',
): MergedTool {
  const enabled = beforeDisabling(stored, hash)
  const base = digestsIn(enabled)
  const before = fieldsOf(enabled)
  const now = fieldsOf(made.definition)
  const all = [...new Set([...now.keys(), ...before.keys()])].map((field) =>
    judgeField({ field, from: before.get(field), to: now.get(field) }, base[field], hash),
  )
  const isEdit = ({ kind }: JudgedField) => kind === 'edited' || kind === 'conflict'
  const result = new Map<string, Json>()
  for (const judged of all) {
    const value = isEdit(judged) && edits === 'keep' ? judged.from : judged.to
    if (value !== undefined) result.set(judged.field, value)
  }
  const definition = withMark(withFields(stored, result), made.whose, digestsOf(now, hash))
  const isChanged = digestOf(definition, hash) !== digestOf(stored, hash)
  return {
    definition: isChanged ? definition : stored,
    isChanged,
    changes: [
      ...all
        .filter((judged) => judged.kind === 'changed' || (isEdit(judged) && edits === 'overwrite'))
        .map(({ field, from, to }) => ({ field, from, to })),
      ...(all.some(({ field }) => field === 'state') ? [] : stateChange(stored, definition)),
    ],
    edited: all.filter(isEdit).map(({ field }) => field),
    conflicts: all.filter(({ kind }) => kind === 'conflict').map(({ field }) => field),
    breaking: breakingChanges(stored, definition),
  }
}

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
 * Disables a skill that the import no longer has. The mark holds the state that it had, since a person may have
 * stopped it: when its operation comes back, the skill has that state again.
 */
export function disabledTool(stored: JsonObject, reason: string, hash: Hash): JsonObject {
  const { fields: _, held: __, ...whose } = objectOf(stored['import'])
  const { state: before, state_reason: beforeReason } = stored
  const held = {
    ...(before === undefined ? {} : { state: before }),
    ...(beforeReason === undefined ? {} : { state_reason: beforeReason }),
  }
  const state = 'disabled'
  const fields = {
    ...digestsIn(stored),
    state: digestOf(state, hash),
    state_reason: digestOf(reason, hash),
  }
  const mark = Object.keys(held).length === 0 ? whose : { ...whose, held }
  return withMark({ ...stored, state, state_reason: reason }, mark, fields)
}

/** True for a skill that an import disabled, and whose state and reason nobody changed since. */
export function isDisabledByImport(stored: JsonObject, hash: Hash): boolean {
  const { state, state_reason: reason } = stored
  const digests = digestsIn(stored)
  return (
    state === 'disabled' &&
    digests['state'] === digestOf(state, hash) &&
    digests['state_reason'] === digestIf(reason, hash)
  )
}

/** True for a skill that a person had stopped when an import disabled it. */
export function isStopped(stored: JsonObject): boolean {
  return objectOf(objectOf(stored['import'])['held'])['state'] === 'disabled'
}

/** With the state that it had before an import disabled it; a state that somebody changed since is kept as an edit. */
function beforeDisabling(stored: JsonObject, hash: Hash): JsonObject {
  const digests = digestsIn(stored)
  if (digests['state_reason'] === undefined) return stored
  const { held, ...whose } = objectOf(stored['import'])
  const { state: _, state_reason: __, ...fields } = digests
  if (!isDisabledByImport(stored, hash)) return withMark(stored, whose, fields)
  const { state: ___, state_reason: ____, ...rest } = stored
  return withMark({ ...rest, ...objectOf(held) }, whose, fields)
}

function digestIf(value: Json | undefined, hash: Hash): string | undefined {
  return value === undefined ? undefined : digestOf(value, hash)
}
