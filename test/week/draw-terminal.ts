/**
 * Draws what a terminal shows as an SVG picture: text with the colours of SGR sequences, in a
 * monospaced grid. Other control sequences are dropped, and a cleared line disappears.
 */

/** Units of the picture. A cell is as wide as most monospaced fonts draw a letter of 14 units. */
const CELL_WIDTH = 8.43
const LINE_HEIGHT = 19
const FONT_SIZE = 14
const PADDING = 16

const COLOURS: { readonly [code: number]: string } = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}
const TEXT_COLOUR = '#e6edf3'
const BACKGROUND = '#161b22'

type Style = { readonly colour: string; readonly bold: boolean; readonly dim: boolean }
type Span = Style & { readonly text: string }

const PLAIN: Style = { colour: TEXT_COLOUR, bold: false, dim: false }

/** Returns the SVG of the lines of `text` on a terminal of `columns`, with a title for readers. */
export function drawTerminal(title: string, text: string, columns: number): string {
  const lines = splitLines(text).flatMap((spans) => wrapSpans(spans, columns))
  const width = Math.ceil(columns * CELL_WIDTH + 2 * PADDING)
  const height = lines.length * LINE_HEIGHT + 2 * PADDING
  const shown = lines.map((spans, index) => drawLine(spans, index))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeText(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="${TEXT_COLOUR}">
${shown.filter((line) => line !== '').join('\n')}
</g>
</svg>
`
}

/** Returns the text without control sequences, as a person reads it. */
export function toPlainText(text: string): string {
  return splitLines(text)
    .map((spans) => spans.map((span) => span.text).join(''))
    .join('\n')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with ESC.
const SEQUENCE = /\u001b\[([\d;]*)([A-Za-z])/g

function splitLines(text: string): readonly (readonly Span[])[] {
  let style = PLAIN
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const spans = readSpans(clearLine(line), style)
      style = spans.next
      return spans.spans
    })
}

/** A progress line is replaced by what is written after it. */
function clearLine(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with ESC.
  return line.slice(line.lastIndexOf('\r\u001b[K') + 1).replace(/^\u001b\[K/, '')
}

function readSpans(line: string, first: Style): { readonly spans: Span[]; readonly next: Style } {
  const spans: Span[] = []
  let style = first
  let from = 0
  for (const { 0: sequence, 1: codes = '', 2: kind, index } of line.matchAll(SEQUENCE)) {
    if (index > from) spans.push({ ...style, text: line.slice(from, index) })
    from = index + sequence.length
    if (kind === 'm') style = applyCodes(style, codes)
  }
  if (from < line.length) spans.push({ ...style, text: line.slice(from) })
  return { spans, next: style }
}

/** Continues a long line on the next one, as a terminal does. */
function wrapSpans(spans: readonly Span[], columns: number): readonly (readonly Span[])[] {
  const lines: Span[][] = [[]]
  let column = 0
  for (const { text, ...style } of spans) {
    for (const letter of text) {
      if (column === columns) {
        lines.push([])
        column = 0
      }
      appendLetter(lines.at(-1) ?? [], { ...style, text: letter })
      column += 1
    }
  }
  return lines
}

function appendLetter(line: Span[], letter: Span): void {
  const last = line.at(-1)
  const isSame =
    last?.colour === letter.colour && last.bold === letter.bold && last.dim === letter.dim
  if (isSame) line[line.length - 1] = { ...letter, text: `${last.text}${letter.text}` }
  else line.push(letter)
}

function applyCodes(style: Style, codes: string): Style {
  return codes.split(';').map(Number).reduce(applyCode, style)
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, colour: TEXT_COLOUR }
  return { ...style, colour: COLOURS[code] ?? style.colour }
}

function drawLine(spans: readonly Span[], index: number): string {
  const text = spans.map(drawSpan).join('')
  if (text === '') return ''
  const y = PADDING + (index + 1) * LINE_HEIGHT - 5
  return `<text x="${PADDING}" y="${y}" xml:space="preserve">${text}</text>`
}

function drawSpan({ bold, colour, dim, text }: Span): string {
  const escaped = escapeText(text)
  const attributes = [
    colour === TEXT_COLOUR ? '' : ` fill="${colour}"`,
    bold ? ' font-weight="bold"' : '',
    dim ? ' opacity="0.6"' : '',
  ].join('')
  return attributes === '' ? escaped : `<tspan${attributes}>${escaped}</tspan>`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
