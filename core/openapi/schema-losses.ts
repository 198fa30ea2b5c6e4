/** What the schemas of one tool lost on their way out of a document, and the notes that tell it. */
import { INPUT_BYTES_MAX, PARAMETER_DESCRIPTION_CHARS_MAX } from './limits.ts'
import { cut, leftOut, listed } from './remarks.ts'

export type SchemaLosses = {
  /** Keywords that tools do not keep. */
  readonly keywords: Set<string>
  /** Values that their keyword may not have, and numbers that JSON cannot hold. */
  readonly values: Set<string>
  readonly numbers: Set<string>
  /** References that lead nowhere. */
  readonly missing: Set<string>
  /** Properties of discriminators that lead to no schema. */
  readonly open: Set<string>
  /** What `deep` and `descriptions` count: parts that are their type alone, descriptions that are cut. */
  deep: number
  descriptions: number
}

export function noLosses(): SchemaLosses {
  const sets = {
    keywords: new Set<string>(),
    values: new Set<string>(),
    numbers: new Set<string>(),
  }
  return { ...sets, missing: new Set(), open: new Set(), deep: 0, descriptions: 0 }
}

export function lossNotes(losses: SchemaLosses, of: 'arguments' | 'answer'): readonly string[] {
  const { deep, descriptions, keywords, missing, numbers, open, values } = losses
  const where = of === 'arguments' ? 'schemas of the arguments' : 'schema of the answer'
  const some = (names: ReadonlySet<string>, note: (all: string) => string) =>
    names.size === 0 ? [] : [note(listed(names))]
  const chars = `${PARAMETER_DESCRIPTION_CHARS_MAX} characters`
  return [
    ...some(keywords, (all) => leftOut(`Of the ${where} ${all}`, 'a tool does not keep it')),
    ...some(values, (all) =>
      leftOut(`Of the ${where} ${all}`, 'the value does not fit the keyword'),
    ),
    ...some(numbers, (all) =>
      leftOut(`Of the ${where} ${all}`, 'the number has more digits than JSON clients keep'),
    ),
    ...[...missing].map((to) => `The reference ${to} leads nowhere and takes any value.`),
    ...some(
      open,
      (all) => `The discriminator ${all} leads to no schema, so more members are taken.`,
    ),
    ...(deep === 0 ? [] : [`Deep parts of the ${where} are their type alone (${deep}).`]),
    ...(descriptions === 0
      ? []
      : [cut(`A description in the ${where}`, `${chars} (${descriptions})`)]),
  ]
}

/** Notes of a schema that was too large: from the detail that fits. */
export const PRUNED = [
  '',
  `Descriptions inside arguments are left out to fit ${INPUT_BYTES_MAX} bytes.`,
  `Deep parts of arguments are their type alone to fit ${INPUT_BYTES_MAX} bytes.`,
] as const
