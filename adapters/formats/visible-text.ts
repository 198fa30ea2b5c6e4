/**
 * Text of others as a terminal may show it. Characters that move the cursor, change the direction of writing or
 * take no room are written as escapes, so that nobody is shown another text than there is. Line feeds, tabs, the
 * two joiners that scripts and emoji need, and selectors of a letter's form stay.
 */

/** Controls, marks of direction, tags and other invisible characters, halves of pairs, other line separators. */
const HIDDEN =
  /(?!\n|\t|\u{200C}|\u{200D}|[\u{FE00}-\u{FE0F}])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** `\u{9b}` in place of U+009B. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)?.toString(16)}}`)
}

/** `text` is JSON; the answer is JSON of the same value. */
export function visibleJson(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) =>
    Array.from({ length: hidden.length }, (_, at) => unitEscape(hidden.charCodeAt(at))).join(''),
  )
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
