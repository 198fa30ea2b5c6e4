/**
 * Faults and warnings that reading a definition collects, and readers for the common kinds of
 * field. After a fault a reader continues with a harmless value, so that all faults are reported at
 * once.
 */
import type { FieldFault } from '../../errors.ts'
import { hiddenFault } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { jsonPointer } from '../../json/json-pointer.ts'
import { meantField } from './slips.ts'

export type Notes = {
  readonly faults: FieldFault[]
  readonly warnings: string[]
  /** Among the warnings: what is probably a mistake. */
  readonly slips: FieldFault[]
  /** Parts of the definition that this build stores but cannot run; calls are refused meanwhile. */
  readonly notYet: string[]
}

export type TextRule = {
  readonly charsMax: number
  /** Whether line breaks and tabs are allowed: in prose they are, in names they break lists. */
  readonly lines?: boolean
}

export const EMPTY: JsonObject = Object.freeze({})

export function fault(notes: Notes, pointer: string, message: string): void {
  notes.faults.push({ pointer, message })
}

/** A required text of 1 to `charsMax` characters; '' after a fault. */
export function readText(notes: Notes, pointer: string, value: Json | undefined, rule: TextRule) {
  const wanted = `a string of 1 to ${rule.charsMax} characters`
  if (value === undefined) return missing(notes, pointer, wanted)
  const wrong =
    typeof value === 'string' ? textFault(value, rule) : `is not a string; send ${wanted}`
  if (wrong !== undefined || typeof value !== 'string') {
    fault(notes, pointer, wrong ?? '')
    return ''
  }
  return value
}

/** {@link readText} for an optional text: absent, null and '' mean none. */
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
  else fault(notes, pointer, 'is not an object; send { … }')
  return EMPTY
}

/** A whole number from 1 to `max`; `otherwise` when absent. */
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
  fault(notes, pointer, `must be a whole number from 1 to ${range.max}`)
  return range.otherwise
}

/** Warns of fields that this build does not read; they are kept for later builds or the sender. */
export function warnUnknown(
  notes: Notes,
  pointer: string,
  object: JsonObject,
  known: readonly string[],
): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    const at = `${pointer}${jsonPointer([key])}`
    const meant = meantField(key, known)
    if (meant === undefined) notes.warnings.push(`${at}: unknown field; kept and not used`)
    else warnSlip(notes, at, `unknown field; kept and not used. ${meant} is the field of that kind`)
  }
}

/** Warns of what is probably a mistake; under `?strict=true` it is a fault. */
export function warnSlip(notes: Notes, pointer: string, message: string): void {
  notes.warnings.push(`${pointer}: ${message}`)
  notes.slips.push({ pointer, message })
}

export function textFault(text: string, rule: TextRule): string | undefined {
  const { charsMax } = rule
  if (text.trim() === '') return `is empty; send 1 to ${charsMax} characters`
  if (text.length > charsMax && [...text].length > charsMax) {
    return `has over ${charsMax} characters; shorten it to ${charsMax}`
  }
  if (!text.isWellFormed()) return 'holds half a surrogate pair; send well-formed Unicode'
  if (!/\p{Cc}/u.test(text)) return undefined
  return hiddenFault(rule.lines === true ? text.replace(/[\n\r\t]/g, ' ') : text)
}

function missing(notes: Notes, pointer: string, wanted: string): '' {
  fault(notes, pointer, `is missing; send ${wanted}`)
  return ''
}
