/**
 * The style of lines: on a terminal in columns and in colour, in a pipe as plain words that tools
 * can split. NO_COLOR (no-color.org) removes the colours and leaves the columns.
 */
import { escapeHiddenJson, escapeHiddenText } from '../../core/json/visible-text.ts'

export type Style = { readonly columns: boolean; readonly colour: boolean }

export const PLAIN: Style = { columns: false, colour: false }

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2 } as const
export type Colour = keyof typeof CODES

/**
 * Detects the style of a stream. `noColour` is the value of NO_COLOR: any text but the empty one
 * disables colours.
 */
export function detectStyle(
  stream: { readonly isTTY?: boolean | undefined },
  noColour: string | undefined,
): Style {
  const columns = stream.isTTY === true
  return { columns, colour: columns && (noColour === undefined || noColour === '') }
}

/** Puts text in a colour, if the style has colours. */
export function paint(style: Style, colour: Colour, text: string): string {
  return style.colour && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text
}

/**
 * Makes text safe for a stream. On a terminal only the twin's own colours pass, and nothing else
 * that moves a cursor; a pipe gets the text unchanged.
 */
export function toShownText(
  stream: { readonly isTTY?: boolean | undefined },
  text: string,
): string {
  if (stream.isTTY !== true) return text
  return text
    .split(COLOUR_PATTERN)
    .map((part, index) => (index % 2 === 0 ? escapeHiddenText(part) : part))
    .join('')
}

/** Works as {@link toShownText}, for lines of JSON, which keep their values. */
export function toShownJson(
  stream: { readonly isTTY?: boolean | undefined },
  text: string,
): string {
  return stream.isTTY === true ? escapeHiddenJson(text) : text
}

/** Matches the colours that this file writes; the group makes `split` keep them. */
const COLOUR_PATTERN = new RegExp(`(\u001b\\[(?:0|${Object.values(CODES).join('|')})m)`)

export type Cell = {
  readonly text: string
  /** Columns that the text fills on a terminal; a longer text shifts the following cells. */
  readonly width?: number
  readonly colour?: Colour
}

/** Formats cells as a row. In a pipe, empty cells leave no gap. */
export function formatRow(style: Style, cells: readonly Cell[]): string {
  const shown = style.columns ? cells : cells.filter(({ text }) => text !== '')
  const last = shown.length - 1
  const texts = shown.map(({ colour, text, width = 0 }, index) => {
    const gap = style.columns && index < last ? ' '.repeat(Math.max(0, width - text.length)) : ''
    return `${colour === undefined ? text : paint(style, colour, text)}${gap}`
  })
  return texts.join(' ').trimEnd()
}
