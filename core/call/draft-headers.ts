/**
 * The skill's own headers with the arguments in. What no header can carry is refused, and named, not
 * repaired: a value that was changed on the way would be a lie to the upstream.
 */
import { err, type FieldFault, ok, type Result } from '../errors.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { Skill } from '../skills/skill.ts'
import type { Template } from '../skills/template.ts'
import {
  type FilledText,
  type Fills,
  fillPair,
  fillUnits,
  nameOf,
  outlined,
  textOf,
  type ValuePlace,
  valueAt,
} from './fill-template.ts'

/** Of one value: what common servers still take (nginx 8 k for a header line, node 16 k for all). */
export const HEADER_UNITS_MAX = 8000

export type Pair = readonly [name: string, value: FilledText]

/** Visible ASCII, spaces and tabs inside (RFC 9110 5.5, without obs-text). */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/
const HEADER_CHARS = /^[\t\x20-\x7e]*$/

export function headerPairs(
  { headers }: Pick<Skill, 'headers'>,
  fills: Fills,
): Result<readonly Pair[], readonly FieldFault[]> {
  const pairs: Pair[] = []
  const faults: FieldFault[] = []
  for (const [name, template] of Object.entries(headers)) {
    const isLong = fillUnits([template], fills) > HEADER_UNITS_MAX
    const value = isLong ? undefined : fillPair(template, fills)
    if (isLong || (value !== undefined && !isHeaderValue(outlined(value)))) {
      faults.push(...faultsOf(name, template, fills))
    } else if (value !== undefined) pairs.push([name, value])
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

export function isHeaderValue(text: string): boolean {
  return text.length <= HEADER_UNITS_MAX && HEADER_VALUE.test(text)
}

/** Names those arguments that spoil it; all of them where only the whole is too much. */
function faultsOf(header: string, template: Template, fills: Fills): readonly FieldFault[] {
  const wanted = `which takes ${HEADER_UNITS_MAX} characters of visible ASCII on one line, no space at its ends`
  const places = new Map<string, ValuePlace>()
  for (const piece of template) {
    if (piece.kind === 'arg' || piece.kind === 'input') places.set(nameOf(piece), piece)
  }
  const all = [...places.values()]
  const spoilers = all.filter((place) => !HEADER_CHARS.test(textOf(valueAt(fills, place))))
  return (spoilers.length > 0 ? spoilers : all).map((place) => {
    const message = `goes into the header ${header}, ${wanted}`
    // Pointers lead into the arguments, where an input does not stand.
    return place.kind === 'arg'
      ? { pointer: jsonPointer([place.name]), message }
      : { pointer: '', message: `${nameOf(place)} ${message}` }
  })
}
