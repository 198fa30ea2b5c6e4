/**
 * Collects errors and warnings while a definition is read, and reads common kinds of field. After
 * an error, a reader continues with a harmless value, so that all errors are reported at once.
 */
import type { FieldError } from '../../errors.ts'
import { explainHiddenText } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { allowsMoreArguments, findMeantField } from './likely-mistakes.ts'

export type Notes = {
  readonly faults: FieldError[]
  readonly warnings: string[]
  /** Probable mistakes, which are also among the warnings. */
  readonly slips: FieldError[]
  /** Parts of the definition that this build stores but cannot run. Calls are refused. */
  readonly notYet: string[]
}

export type TextRule = {
  readonly charsMax: number
  /** True if line breaks and tabs are allowed, as in prose. In names they would break lists. */
  readonly lines?: boolean
}

export const EMPTY: JsonObject = Object.freeze({})

export function addFieldError(notes: Notes, pointer: string, message: string): void {
  notes.faults.push({ pointer, message })
}

/** Reads a required text of 1 to `charsMax` characters. Returns '' after an error. */
export function readText(notes: Notes, pointer: string, value: Json | undefined, rule: TextRule) {
  const wanted = `a string of 1 to ${rule.charsMax} characters`
  if (value === undefined) return missing(notes, pointer, wanted)
  const wrong =
    typeof value === 'string' ? checkText(value, rule) : `is not a string; send ${wanted}`
  if (wrong !== undefined || typeof value !== 'string') {
    addFieldError(notes, pointer, wrong ?? '')
    return ''
  }
  return value
}

/** {@link readText} for an optional text. Returns undefined if it is absent, null or ''. */
export function readOptionalText(
  notes: Notes,
  pointer: string,
  value: Json | undefined,
  rule: TextRule,
): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return readText(notes, pointer, value, rule)
}

export function readObject(
  notes: Notes,
  pointer: string,
  value: Json | undefined,
  need: 'required' | 'optional',
): JsonObject {
  if (isJsonObject(value)) return value
  if (value === undefined && need === 'optional') return EMPTY
  if (value === undefined) missing(notes, pointer, 'an object')
  else addFieldError(notes, pointer, 'is not an object; send { … }')
  return EMPTY
}

/** Reads a whole number from 1 to `max`; `otherwise` is the default. */
export function readCount(
  notes: Notes,
  pointer: string,
  value: Json | undefined,
  range: { readonly max: number; readonly otherwise: number },
): number {
  if (value === undefined) return range.otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= range.max) {
    return value
  }
  addFieldError(notes, pointer, `must be a whole number from 1 to ${range.max}`)
  return range.otherwise
}

/** Warns of fields that this build does not read. They are stored for later builds. */
export function warnUnknown(
  notes: Notes,
  pointer: string,
  object: JsonObject,
  known: readonly string[],
): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    const at = `${pointer}${toJsonPointer([key])}`
    const meant = findMeantField(key, known)
    if (meant === undefined) notes.warnings.push(`${at}: unknown field; kept and not used`)
    else warnOfMistake(notes, at, `unknown field; kept and not used. Did you mean ${meant}?`)
  }
}

/** Warns of a probable mistake. With `?strict=true`, it is an error. */
export function warnOfMistake(notes: Notes, pointer: string, message: string): void {
  notes.warnings.push(`${pointer}: ${message}`)
  notes.slips.push({ pointer, message })
}

/** Warns of a place without a parameter, a probable mistake unless the schema allows others. */
export function warnUnfilled(
  notes: Notes,
  parameters: JsonObject,
  pointer: string,
  message: string,
): void {
  if (allowsMoreArguments(parameters)) notes.warnings.push(`${pointer}: ${message}`)
  else warnOfMistake(notes, pointer, message)
}

/** Explains why a text breaks the rule; undefined if it does not. */
export function checkText(text: string, rule: TextRule): string | undefined {
  const { charsMax } = rule
  if (text.trim() === '') return `is empty; send 1 to ${charsMax} characters`
  if (text.length > charsMax && [...text].length > charsMax) {
    return `has over ${charsMax} characters; shorten it to ${charsMax}`
  }
  if (!text.isWellFormed()) return 'holds half a surrogate pair; send well-formed Unicode'
  if (!/\p{Cc}/u.test(text)) return undefined
  return explainHiddenText(rule.lines === true ? text.replace(/[\n\r\t]/g, ' ') : text)
}

function missing(notes: Notes, pointer: string, wanted: string): '' {
  addFieldError(notes, pointer, `is missing; send ${wanted}`)
  return ''
}
