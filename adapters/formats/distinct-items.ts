/**
 * Finds a repeated item of an array in one pass. Arrays and objects are compared by a canonical
 * text, in which a number replaces each nested one; equal values share a number. So a text is as
 * long as the members of its own level, at any nesting of the item.
 */
import type { Json } from '../../core/json/json.ts'
import { type SchemaRun, spend } from './schema-run.ts'

export function hasRepeatedItem(run: SchemaRun, items: readonly Json[]): boolean {
  if (items.length < 2) return false
  spend(run, STEPS_PER_ARRAY)
  const numbers = new Map<string, number>()
  const plainValues = new Set<Json>()
  const texts = new Set<string>()
  for (const item of items) {
    const isNested = typeof item === 'object' && item !== null
    const [known, key] = isNested
      ? [texts, writeCanonical(run, item, numbers)]
      : [plainValues, item]
    if (known.has(key as string)) return true
    known.add(key as string)
    spend(run, STEPS_PER_ITEM)
  }
  return false
}

/** Steps that making the sets of items costs. */
const STEPS_PER_ARRAY = 16
/** Steps for adding one item to a set. */
const STEPS_PER_ITEM = 4
/** Steps for writing and adding the text of an array or object, most of whose members are short. */
const STEPS_PER_TEXT = 12
const CHARS_PER_STEP = 1

/** The canonical text: names are sorted, so equal values have the same text. */
function writeCanonical(run: SchemaRun, value: Json, numbers: Map<string, number>): string {
  const writeInner = (one: Json) =>
    typeof one === 'object' && one !== null
      ? `#${findNumber(run, one, numbers)}`
      : JSON.stringify(one)
  const text = Array.isArray(value)
    ? `[${value.map(writeInner).join()}]`
    : `{${Object.entries(Object(value))
        .sort(([one], [two]) => (one < two ? -1 : 1))
        .map(([name, member]) => `${JSON.stringify(name)}:${writeInner(member as Json)}`)
        .join()}}`
  spend(run, STEPS_PER_TEXT + text.length / CHARS_PER_STEP)
  return text
}

function findNumber(run: SchemaRun, value: Json, numbers: Map<string, number>): number {
  const text = writeCanonical(run, value, numbers)
  const known = numbers.get(text) ?? numbers.size
  numbers.set(text, known)
  return known
}
