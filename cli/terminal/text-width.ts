/**
 * Counts the columns that a text takes on a terminal: two for wide letters and emoji, none for marks
 * that stand on another letter. The wide ranges are those of Unicode's East Asian Width (UAX #11).
 */

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const PLAIN = /^[ -~]*$/
/** Emoji, flags included, and ranges whose width is W or F in UAX #11. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2}|.\u{FE0F}|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u
const NO_WIDTH = /^[\p{M}\p{Default_Ignorable_Code_Point}]+$/u

export function countWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += countGrapheme(segment)
  return width
}

/** Cuts a text that is wider than `width` and ends it with `…`. */
export function cutText(text: string, width: number): string {
  if (countWidth(text) <= width) return text
  let [shown, used] = ['', 1]
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += countGrapheme(segment)
    if (used > width) break
    shown += segment
  }
  return `${shown}…`
}

function countGrapheme(segment: string): number {
  if (PLAIN.test(segment)) return segment.length
  if (NO_WIDTH.test(segment)) return 0
  return WIDE.test(segment) ? 2 : 1
}
