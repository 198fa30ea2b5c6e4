/**
 * Probable mistakes in a definition: an unknown field that resembles a known one, or a place
 * without a parameter. They are allowed, but nearly always change how a skill works. A sync
 * therefore reports them separately from other unknown fields (docs/admin-api.md, POST sync_skill).
 */
import type { FieldError } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { isOneEdit } from '../../json/typing-error.ts'

/** Letters of a known field. Shorter fields differ by one letter from too many correct words. */
const FIELD_CHARS_MIN = 4

/** Returns the known field that the author probably meant: `method` for `methd`. */
export function findMeantField(key: string, known: readonly string[]): string | undefined {
  const sent = simplify(key)
  const long = known.filter((field) => field.length >= FIELD_CHARS_MIN)
  return (
    long.find((field) => simplify(field) === sent || isOneEdit(simplify(field), sent)) ??
    long.find((field) => sent.length >= FIELD_CHARS_MIN && simplify(field).startsWith(sent))
  )
}

/** Ignores case, `_` and `-`: `timeoutMs` equals `timeout_ms`. */
function simplify(field: string): string {
  return field.toLowerCase().replace(/[_-]/g, '')
}

/** Keywords with which a schema may allow arguments that are not in its `properties`. */
const OPEN_KEYWORDS = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'patternProperties',
  'dependentSchemas',
]

/** True if the schema allows arguments that are not in `properties`. */
export function allowsMoreArguments(parameters: JsonObject): boolean {
  const { additionalProperties = false, unevaluatedProperties = false } = parameters
  if (additionalProperties !== false || unevaluatedProperties !== false) return true
  return OPEN_KEYWORDS.some((keyword) => Object.hasOwn(parameters, keyword))
}

/** Returns the mistakes that the previous version of the skill did not have. */
export function findNewMistakes(
  slips: readonly FieldError[],
  before: readonly FieldError[],
): readonly FieldError[] {
  const known = new Set(before.map(toKey))
  return slips.filter((slip) => !known.has(toKey(slip)))
}

function toKey({ message, pointer }: FieldError): string {
  return `${pointer}\n${message}`
}
