/**
 * Reads the fields of a JSON body. A refusal lists all field errors at once, each with a pointer.
 */
import { err, type FieldError, ok, type Refusal, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { toJsonPointer } from './json-pointer.ts'

/** Returns the members of an object body. Refuses other JSON, and members that are not `known`. */
export function readBodyFields(body: Json, known: readonly string[]): Result<JsonObject> {
  if (!isJsonObject(body)) return refuse('malformed', 'body: must be a JSON object.')
  const unknown = findUnknownFields(body, known, 'field')
  return unknown.length === 0 ? ok(body) : refuseBody(unknown)
}

/** Field errors in one refusal. The others appear once these are corrected. */
export const FIELD_FAULTS_MAX = 20

/** UTF-16 units of a sender's field name that an error repeats. */
const NAME_UNITS_MAX = 64

/** Field errors that the refusal's sentence names. */
const SENTENCE_ERRORS_MAX = 5

/**
 * Makes a field error for each unknown member; the error lists the known ones. `noun` is the word
 * for a member: field, parameter.
 */
export function findUnknownFields(
  sent: object,
  known: readonly string[],
  noun: string,
): readonly FieldError[] {
  const takes = known.length === 0 ? 'none' : known.join(', ')
  const unknown = Object.keys(sent).filter((name) => !known.includes(name))
  return unknown.slice(0, FIELD_FAULTS_MAX).map((name) => ({
    pointer: toJsonPointer([name.slice(0, NAME_UNITS_MAX).toWellFormed()]),
    message: `is not a ${noun} of this request; it takes ${takes}`,
  }))
}

export function refuseBody(faults: readonly FieldError[]): Result<never> {
  return refuseFields('invalid_arguments', faults)
}

/** Makes one refusal of all field errors. Its length is bounded, however many there are. */
export function refuseFields(
  code: 'invalid_arguments' | 'malformed',
  faults: readonly FieldError[],
  { remedy }: Pick<Refusal, 'remedy'> = {},
): Result<never> {
  const texts = faults
    .slice(0, SENTENCE_ERRORS_MAX)
    .map(({ pointer, message }) => `${pointer || 'body'}: ${message}`)
  const more = faults.length - texts.length
  const rest = more > 0 ? [`and ${more} more`] : []
  const shown = faults.slice(0, FIELD_FAULTS_MAX)
  return err({
    code,
    detail: [...texts, ...rest].join('; '),
    faults: shown,
    ...(remedy && { remedy }),
  })
}
