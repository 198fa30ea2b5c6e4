/**
 * Texts of others as a person who decides about them has to see them: characters without a shape, or that change the
 * order of their neighbours, are written as `\u{202e}`.
 */
import { isJsonObject, type Json } from './json.ts'

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Line breaks and tabs are text; joiners and variation selectors are parts of emoji and of words. */
const KEPT = new Set(['\n', '\r', '\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f'])

export function showHidden(text: string): string {
  return text.replace(HIDDEN, (char) =>
    KEPT.has(char) ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )
}

/** The same value with all its texts shown so; names of members stay. */
export function showHiddenIn<T extends Json | undefined>(value: T): T
export function showHiddenIn(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return showHidden(value)
  if (Array.isArray(value)) return value.map((item: Json) => showHiddenIn(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, showHiddenIn(inner)]),
  )
}
