/**
 * How lines look: on a terminal in columns and in colour, in a pipe as plain words that tools can
 * split. NO_COLOR (no-color.org) takes the colours away and leaves the columns.
 */
export type Style = { readonly columns: boolean; readonly colour: boolean }

export const PLAIN: Style = { columns: false, colour: false }

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2 } as const
export type Colour = keyof typeof CODES

/** `noColour` is the value of NO_COLOR: any text but the empty one asks for no colours. */
export function styleOf(
  stream: { readonly isTTY?: boolean | undefined },
  noColour: string | undefined,
): Style {
  const columns = stream.isTTY === true
  return { columns, colour: columns && (noColour === undefined || noColour === '') }
}

export function painted(style: Style, colour: Colour, text: string): string {
  return style.colour && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text
}

export type Cell = {
  readonly text: string
  /** Columns that the text fills on a terminal; a longer text moves what follows it. */
  readonly width?: number
  readonly colour?: Colour
}

/** In a pipe, empty cells leave no gap. */
export function rowOf(style: Style, cells: readonly Cell[]): string {
  const shown = style.columns ? cells : cells.filter(({ text }) => text !== '')
  const last = shown.length - 1
  const texts = shown.map(({ colour, text, width = 0 }, index) => {
    const gap = style.columns && index < last ? ' '.repeat(Math.max(0, width - text.length)) : ''
    return `${colour === undefined ? text : painted(style, colour, text)}${gap}`
  })
  return texts.join(' ').trimEnd()
}
