/**
 * Fills arguments into the skill's own headers. A value that no header can carry is refused, not
 * repaired: otherwise the upstream would act on a value that the caller did not send.
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import {
  countFillUnits,
  type FilledText,
  type Fills,
  fillPair,
  outlineText,
  readFill,
  toArgPath,
  toPlainText,
  type ValuePlace,
  writePlaceName,
} from './fill-template.ts'

/** Characters of one value that common servers accept (nginx 8 k per line, Node 16 k for all). */
export const HEADER_UNITS_MAX = 8000

export type Pair = readonly [name: string, value: FilledText]

/** Visible ASCII, with spaces and tabs only inside (RFC 9110 5.5, without obs-text). */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/
const HEADER_CHARS = /^[\t\x20-\x7e]*$/

/** Returns the headers, or a field error for each argument that makes one invalid. */
export function draftHeaderPairs(
  { headers }: Pick<Skill, 'headers'>,
  fills: Fills,
): Result<readonly Pair[], readonly FieldError[]> {
  const pairs: Pair[] = []
  const faults: FieldError[] = []
  for (const [name, template] of Object.entries(headers)) {
    const isLong = countFillUnits([template], fills) > HEADER_UNITS_MAX
    const value = isLong ? undefined : fillPair(template, fills)
    if (isLong || (value !== undefined && !isHeaderValue(outlineText(value)))) {
      faults.push(...findInvalidArguments(name, template, fills))
    } else if (value !== undefined) pairs.push([name, value])
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

export function isHeaderValue(text: string): boolean {
  return text.length <= HEADER_UNITS_MAX && HEADER_VALUE.test(text)
}

/** Names the arguments that make a header invalid; all of them if only the total is too long. */
function findInvalidArguments(
  header: string,
  template: Template,
  fills: Fills,
): readonly FieldError[] {
  const wanted = `which takes ${HEADER_UNITS_MAX} characters of visible ASCII on one line, no space at its ends`
  const places = new Map<string, ValuePlace>()
  for (const piece of template) {
    if (piece.kind === 'arg' || piece.kind === 'input') places.set(writePlaceName(piece), piece)
  }
  const all = [...places.values()]
  const invalid = all.filter((place) => !HEADER_CHARS.test(toPlainText(readFill(fills, place))))
  return (invalid.length > 0 ? invalid : all).map((place) => {
    const message = `goes into the header ${header}, ${wanted}`
    // Pointers are relative to the arguments, which do not contain values of `input`.
    return place.kind === 'arg'
      ? { pointer: toJsonPointer(toArgPath(place)), message }
      : { pointer: '', message: `${writePlaceName(place)} ${message}` }
  })
}
