/**
 * Whether an array holds one item twice, in one pass: arrays and objects are compared by a canonical text,
 * in which those within stand as numbers that all of their equals share. So a text is no longer than the
 * members of its own level, however deep it nests.
 */
import type { Json } from '../../core/json/json.ts'
import { type Run, spend } from './schema-run.ts'

export function hasTwice(run: Run, items: readonly Json[]): boolean {
  if (items.length < 2) return false
  spend(run, STEPS_AT_ONCE)
  const numbers = new Map<string, number>()
  const plainValues = new Set<Json>()
  const texts = new Set<string>()
  for (const item of items) {
    const isNested = typeof item === 'object' && item !== null
    const [known, key] = isNested ? [texts, nestedText(run, item, numbers)] : [plainValues, item]
    if (known.has(key as string)) return true
    known.add(key as string)
    spend(run, STEPS_PER_ITEM)
  }
  return false
}

/** Making what remembers them. */
const STEPS_AT_ONCE = 16
/** Remembering it. */
const STEPS_PER_ITEM = 4
/** Writing and remembering the text of an array or object, most of whose members are short. */
const STEPS_PER_TEXT = 12
const CHARS_PER_STEP = 1

/** Of equal values the same: names are sorted, and numbers are written as JSON writes them. */
function nestedText(run: Run, value: Json, numbers: Map<string, number>): string {
  const inner = (one: Json) =>
    typeof one === 'object' && one !== null
      ? `#${numberOf(run, one, numbers)}`
      : JSON.stringify(one)
  const text = Array.isArray(value)
    ? `[${value.map(inner).join()}]`
    : `{${Object.entries(Object(value))
        .sort(([one], [two]) => (one < two ? -1 : 1))
        .map(([name, member]) => `${JSON.stringify(name)}:${inner(member as Json)}`)
        .join()}}`
  spend(run, STEPS_PER_TEXT + text.length / CHARS_PER_STEP)
  return text
}

function numberOf(run: Run, value: Json, numbers: Map<string, number>): number {
  const text = nestedText(run, value, numbers)
  const known = numbers.get(text) ?? numbers.size
  numbers.set(text, known)
  return known
}
