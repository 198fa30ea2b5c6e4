/**
 * Masks a call's arguments in the excerpt of a failure, which an administrator may read. A failing
 * upstream often repeats the request, and arguments are the user's own data.
 */
import type { Json } from '../json/json.ts'
import { type Mask, makeMask } from './mask.ts'

/** Texts of one call that are searched for. Each has a dozen spellings. */
export const MASKED_ARGUMENTS_MAX = 100
/** UTF-16 units. An excerpt may contain only a part of a longer text, and parts are not found. */
export const MASKED_ARGUMENT_UNITS_MAX = 4_096

/** Returns undefined if there are too many arguments, or one is too long, to find all of them. */
export function makeArgumentMask(args: Json): Mask | undefined {
  const texts = new Set<string>()
  if (!collectTexts(args, texts)) return undefined
  return makeMask(
    [...texts].map((text) => ['', text] as const),
    () => '[argument]',
  )
}

function collectTexts(value: Json, into: Set<string>): boolean {
  if (Array.isArray(value)) return value.every((item: Json) => collectTexts(item, into))
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).every((member) => collectTexts(member, into))
  }
  if (typeof value !== 'string' && typeof value !== 'number') return true
  const text = String(value)
  into.add(text)
  return text.length <= MASKED_ARGUMENT_UNITS_MAX && into.size <= MASKED_ARGUMENTS_MAX
}
