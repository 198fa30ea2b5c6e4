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
import {
  digestOf,
  digestsOf,
  fieldsOf,
  type Hash,
  markOf,
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
  /** Those of them that the document changed as well. */
  readonly conflicts: readonly string[]
  readonly breaking: readonly string[]
}

/** Undefined when the stored skill is not one of this import. */
export function mergeTool(
  stored: JsonObject,
  made: { readonly definition: JsonObject; readonly operation: string; readonly prefix: string },
  hash: Hash,
): MergedTool | undefined {
  const mark = markOf(stored)
  if (mark === undefined || mark.prefix !== made.prefix) return undefined
  const before = fieldsOf(stored)
  const now = fieldsOf(made.definition)
  const all = [...new Set([...now.keys(), ...before.keys()])].map((field) =>
    judgeField({ field, from: before.get(field), to: now.get(field) }, mark.fields[field], hash),
  )
  const result = new Map<string, Json>()
  for (const { field, from, kind, to } of all) {
    const value = kind === 'edited' || kind === 'conflict' ? from : to
    if (value !== undefined) result.set(field, value)
  }
  const { operation, prefix } = made
  const fields = digestsOf(now, hash)
  const definition = withMark(withFields(stored, result), { operation, prefix }, fields)
  const isChanged = digestOf(definition, hash) !== digestOf(stored, hash)
  return {
    definition: isChanged ? definition : stored,
    isChanged,
    changes: all
      .filter(({ kind }) => kind === 'changed')
      .map(({ field, from, to }) => ({ field, from, to })),
    edited: all
      .filter(({ kind }) => kind === 'edited' || kind === 'conflict')
      .map(({ field }) => field),
    conflicts: all.filter(({ kind }) => kind === 'conflict').map(({ field }) => field),
    breaking: breakingChanges(stored, definition),
  }
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
export function markedTool(
  { definition, operation, prefix }: { definition: JsonObject; operation: string; prefix: string },
  hash: Hash,
): JsonObject {
  return withMark(definition, { operation, prefix }, digestsOf(fieldsOf(definition), hash))
}

/**
 * A skill whose operation is gone: disabled by the import, so that the operation's return enables it
 * again unless somebody edited the state meanwhile.
 */
export function disabledTool(stored: JsonObject, hash: Hash): JsonObject {
  const mark = markOf(stored)
  if (mark === undefined) return stored
  const state = 'disabled'
  const reason = `The API has no operation ${mark.operation} any more.`
  const fields = {
    ...mark.fields,
    state: digestOf(state, hash),
    state_reason: digestOf(reason, hash),
  }
  return withMark({ ...stored, state, state_reason: reason }, mark, fields)
}

/** True for a skill that an import disabled, and nobody changed since. */
export function isDisabledByImport(stored: JsonObject, hash: Hash): boolean {
  const mark = markOf(stored)
  const { state } = stored
  return state === 'disabled' && mark?.fields['state'] === digestOf(state, hash)
}

function digestIf(value: Json | undefined, hash: Hash): string | undefined {
  return value === undefined ? undefined : digestOf(value, hash)
}
