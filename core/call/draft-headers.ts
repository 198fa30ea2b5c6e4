/**
 * The skill's own headers with the arguments in. What no header can carry is refused, and named, not
 * repaired: a value that was changed on the way would be a lie to the upstream.
 */
import { err, type FieldFault, ok, type Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { Skill } from '../skills/skill.ts'
import type { Template } from '../skills/template.ts'
import { argOf, argUnits, type Filled, fillPair, outlined, textOf } from './fill-template.ts'

/** Of one value: what common servers still take (nginx 8 k for a header line, node 16 k for all). */
export const HEADER_UNITS_MAX = 8000

export type Pair = readonly [name: string, value: Filled]

/** Visible ASCII, spaces and tabs inside (RFC 9110 5.5, without obs-text). */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/
const HEADER_CHARS = /^[\t\x20-\x7e]*$/

export function headerPairs(
  { headers }: Pick<Skill, 'headers'>,
  args: JsonObject,
): Result<readonly Pair[], readonly FieldFault[]> {
  const pairs: Pair[] = []
  const faults: FieldFault[] = []
  for (const [name, template] of Object.entries(headers)) {
    const isLong = argUnits([template], args) > HEADER_UNITS_MAX
    const value = isLong ? undefined : fillPair(template, args)
    if (isLong || (value !== undefined && !isHeaderValue(outlined(value)))) {
      faults.push(...faultsOf(name, template, args))
    } else if (value !== undefined) pairs.push([name, value])
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

export function isHeaderValue(text: string): boolean {
  return text.length <= HEADER_UNITS_MAX && HEADER_VALUE.test(text)
}

/** Names those arguments that spoil it; all of them where only the whole is too much. */
function faultsOf(header: string, template: Template, args: JsonObject): readonly FieldFault[] {
  const wanted = `which takes ${HEADER_UNITS_MAX} characters of visible ASCII on one line, no space at its ends`
  const names = template.flatMap((piece) => (piece.kind === 'arg' ? [piece.name] : []))
  const spoilers = names.filter((name) => !HEADER_CHARS.test(textOf(argOf(args, name))))
  return [...new Set(spoilers.length > 0 ? spoilers : names)].map((name) => ({
    pointer: jsonPointer([name]),
    message: `goes into the header ${header}, ${wanted}`,
  }))
}
