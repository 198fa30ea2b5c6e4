/** The parts of a document's schemas that a tool's schemas lost, and the notes about them. */
import { INPUT_BYTES_MAX, PARAMETER_DESCRIPTION_CHARS_MAX } from './limits.ts'
import { joinNames, noteCut, noteLeftOut } from './remarks.ts'

export type SchemaLosses = {
  /** Keywords that tools do not keep. */
  readonly keywords: Set<string>
  /** Values that their keyword cannot have, and numbers that a double cannot hold. */
  readonly values: Set<string>
  readonly numbers: Set<string>
  /** References without a target. */
  readonly missing: Set<string>
  /** Properties of discriminators without subtypes. */
  readonly open: Set<string>
  /** Numbers of parts with only their type, and of descriptions that were cut. */
  deep: number
  descriptions: number
  /** Descriptions whose HTML became text. */
  html: number
}

export function makeLosses(): SchemaLosses {
  const sets = {
    keywords: new Set<string>(),
    values: new Set<string>(),
    numbers: new Set<string>(),
  }
  const counts = { deep: 0, descriptions: 0, html: 0 }
  return { ...sets, missing: new Set(), open: new Set(), ...counts }
}

export function writeLossNotes(
  losses: SchemaLosses,
  of: 'arguments' | 'answer',
): readonly string[] {
  const { deep, descriptions, html, keywords, missing, numbers, open, values } = losses
  const where = of === 'arguments' ? 'schemas of the arguments' : 'schema of the answer'
  const some = (names: ReadonlySet<string>, note: (all: string) => string) =>
    names.size === 0 ? [] : [note(joinNames(names))]
  const chars = `${PARAMETER_DESCRIPTION_CHARS_MAX} characters`
  return [
    ...some(keywords, (all) => noteLeftOut(`Of the ${where} ${all}`, 'a tool does not keep it')),
    ...some(values, (all) =>
      noteLeftOut(`Of the ${where} ${all}`, 'the value does not fit the keyword'),
    ),
    ...some(numbers, (all) =>
      noteLeftOut(`Of the ${where} ${all}`, 'the number has more digits than JSON clients keep'),
    ),
    ...[...missing].map((to) => `The reference ${to} leads nowhere and takes any value.`),
    ...some(
      open,
      (all) => `The discriminator ${all} leads to no schema, so more members are taken.`,
    ),
    ...(deep === 0 ? [] : [`Deep parts of the ${where} are their type alone (${deep}).`]),
    ...(html === 0 ? [] : [`HTML in descriptions of the ${where} is text (${html}).`]),
    ...(descriptions === 0
      ? []
      : [noteCut(`A description in the ${where}`, `${chars} (${descriptions})`)]),
  ]
}

/** Notes about a schema that was too large, by the detail that fits. */
export const PRUNED_NOTES = [
  '',
  `Descriptions inside arguments are left out to fit ${INPUT_BYTES_MAX} bytes.`,
  `Deep parts of arguments are their type alone to fit ${INPUT_BYTES_MAX} bytes.`,
] as const
