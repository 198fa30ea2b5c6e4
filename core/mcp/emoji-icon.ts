/**
 * Makes a tool's icon of its skill's emoji: an SVG in a data URI, which clients need not fetch.
 * Bound by Icon of 2025-11-25 and RFC 2397.
 */
import { escapeMarkup } from '../json/escape-markup.ts'
import type { Json } from '../json/json.ts'

/** Encoded only once, because a list may have hundreds. Single quotes need no encoding in a URI. */
const OPENS = `data:image/svg+xml,${encodeURIComponent("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><text y='.9em' font-size='90'>")}`
const CLOSES = encodeURIComponent('</text></svg>')

/** Writes the emoji as text of the picture, never as markup. `emoji` is well-formed. */
export function makeEmojiIcons(emoji: string | undefined): Json | undefined {
  if (emoji === undefined || emoji === '') return undefined
  const src = `${OPENS}${encodeURIComponent(escapeMarkup(emoji))}${CLOSES}`
  return [{ src, mimeType: 'image/svg+xml', sizes: ['any'] }]
}
