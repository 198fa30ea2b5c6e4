/**
 * Masks a call's arguments in the excerpt of its failure that an administrator may read: an upstream that fails
 * often repeats the request, and arguments are the user's own work.
 */
import type { Json } from '../json/json.ts'
import { type Mask, maskOf } from './mask.ts'

/** Texts of one call that are looked for: each has a dozen spellings. */
export const MASKED_ARGUMENTS_MAX = 100
/** UTF-16 units: the excerpt may hold only a part of a longer text, and a part is not masked. */
export const MASKED_ARGUMENT_UNITS_MAX = 4_096

/** Undefined when the arguments are too many, or one is too long, to be found surely. */
export function argumentMask(args: Json): Mask | undefined {
  const texts = new Set<string>()
  if (!collect(args, texts)) return undefined
  return maskOf(
    [...texts].map((text) => ['', text] as const),
    () => '[argument]',
  )
}

function collect(value: Json, into: Set<string>): boolean {
  if (Array.isArray(value)) return value.every((item: Json) => collect(item, into))
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).every((member) => collect(member, into))
  }
  if (typeof value !== 'string' && typeof value !== 'number') return true
  const text = String(value)
  into.add(text)
  return text.length <= MASKED_ARGUMENT_UNITS_MAX && into.size <= MASKED_ARGUMENTS_MAX
}
