/**
 * Whether an array holds one item twice, in one pass. Arrays and objects are compared by a canonical text, in
 * which nested ones are replaced by a number that all equal values share. So a text is no longer than the
 * members of its own level, however deep the item nests.
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

/** Steps for making the sets of items seen so far. */
const STEPS_AT_ONCE = 16
/** Steps for adding one item to a set. */
const STEPS_PER_ITEM = 4
/** Steps for writing and adding the text of an array or object, most of whose members are short. */
const STEPS_PER_TEXT = 12
const CHARS_PER_STEP = 1

/** Equal values have the same text: names are sorted, and numbers are written as JSON writes them. */
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
