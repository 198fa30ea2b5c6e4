/**
 * JSON whose numbers are kept as they were written: one that a double would change
 * (changed-numbers.ts) becomes a raw number. Any other value is as JSON.parse has it.
 */
import { changedNumbers, survives } from './changed-numbers.ts'
import type { Json } from './json.ts'
import { rawNumber } from './raw-number.ts'

/** `parsed` is what JSON.parse made of `text`; it is returned as it is when no number changed. */
export function exactJson(text: string, parsed: Json): Json {
  if (changedNumbers(text, []).length === 0) return parsed
  return JSON.parse(text, (_name, value: Json, context?: { readonly source?: string }) => {
    const source = typeof value === 'number' ? context?.source : undefined
    return source === undefined || survives(source) ? value : rawNumber(source)
  })
}
