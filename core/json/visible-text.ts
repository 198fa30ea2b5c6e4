/**
 * Makes foreign text safe for a terminal. Characters that move the cursor, change the direction of
 * writing or take no space become escapes, so that a person sees the real text. Line feeds, tabs,
 * the two joiners that scripts and emoji need, and variation selectors are kept.
 */

/** Controls, marks of direction, tags, other invisible characters, lone surrogates, separators. */
const HIDDEN =
  /(?!\n|\t|\u{200C}|\u{200D}|[\u{FE00}-\u{FE0F}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Writes `\u{9b}` instead of U+009B. */
export function escapeHiddenText(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

/** `text` is JSON; the result is JSON of the same value. */
export function escapeHiddenJson(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => escapeUnit(hidden.charCodeAt(at))).join(''),
  )
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
