/**
 * Slips: a field that is nearly one of ours, or a place that no parameter fills. They are legal, and
 * nearly always a mistake that changes how a skill works, so a sync treats them apart from other
 * unknown fields (docs/admin-api.md, POST sync_skill).
 */
import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { isOneEdit } from '../../json/typing-slip.ts'

/** Letters of a known field; shorter ones are one letter from words that are no slips. */
const FIELD_CHARS_MIN = 4

/** The known field that was probably meant: `method` for `methd`, `timeout_ms` for `timeout`. */
export function meantField(key: string, known: readonly string[]): string | undefined {
  const sent = plain(key)
  const long = known.filter((field) => field.length >= FIELD_CHARS_MIN)
  return (
    long.find((field) => plain(field) === sent || isOneEdit(plain(field), sent)) ??
    long.find((field) => sent.length >= FIELD_CHARS_MIN && plain(field).startsWith(sent))
  )
}

/** Without case, `_` and `-`: `timeoutMs` is `timeout_ms`. */
function plain(field: string): string {
  return field.toLowerCase().replace(/[_-]/g, '')
}

/** Keywords by which a schema admits arguments that its `properties` do not name. */
const OPENING = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

/** True when a caller may send arguments beside those in `properties`, as the author says. */
export function admitsMore(parameters: JsonObject): boolean {
  const { additionalProperties = false, unevaluatedProperties = false } = parameters
  if (additionalProperties !== false || unevaluatedProperties !== false) return true
  return OPENING.some((keyword) => Object.hasOwn(parameters, keyword))
}

/** The `slips` that the skill before did not have. */
export function newSlips(
  slips: readonly FieldFault[],
  before: readonly FieldFault[],
): readonly FieldFault[] {
  const known = new Set(before.map(textOf))
  return slips.filter((slip) => !known.has(textOf(slip)))
}

function textOf({ message, pointer }: FieldFault): string {
  return `${pointer}\n${message}`
}
