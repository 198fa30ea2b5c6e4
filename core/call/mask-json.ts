/**
 * Masks parsed JSON: texts, member names, and numbers that spell a secret (which become texts).
 * Recursion is bounded by the depth limit of the parser.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { isRawNumber } from '../json/raw-number.ts'
import { type Mask, NO_MASK } from './mask.ts'

/** Returns the same value when there is nothing to mask. */
export function maskJson(value: Json, mask: Mask): Json {
  if (mask === NO_MASK) return value
  const text = JSON.stringify(value)
  return mask(text) === text ? value : masked(value, mask)
}

function masked(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value === 'number' || isRawNumber(value)) {
    const text = JSON.stringify(value)
    return mask(text) === text ? value : mask(text)
  }
  if (typeof value !== 'object' || value === null) return value
  if (!isJsonObject(value)) return value.map((item) => masked(item, mask))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [mask(name), masked(member, mask)]),
  )
}
