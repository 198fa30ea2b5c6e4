/** The screen of a terminal, as `tmux capture-pane -e` gives it, as an SVG picture. */

const CELL_WIDTH = 8.4
const CELL_HEIGHT = 19
const MARGIN = 14
const FOREGROUND = '#d8dee9'
const BACKGROUND = '#1f2430'
/** SGR 30 to 37; bright ones are shown alike. */
const COLOURS = [
  '#4c566a',
  '#ff6f6f',
  '#a3d977',
  '#f2c66d',
  '#7aa9f7',
  '#d29bea',
  '#74d0d8',
  '#ffffff',
]

const ESCAPE = '\u001b['
const SEQUENCES = new RegExp(`(${'\u001b'}\\[[0-9;]*m)`)

type Style = { colour: string; bold: boolean; dim: boolean }

/** `title` is what readers of screens say of it. */
export function terminalSvg(screen: string, columns: number, title: string): string {
  const lines = screen.replace(/\s+$/, '').split('\n')
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN)
  const height = lines.length * CELL_HEIGHT + 2 * MARGIN
  const style: Style = { colour: FOREGROUND, bold: false, dim: false }
  const texts = lines.map((line, index) => {
    const y = MARGIN + (index + 1) * CELL_HEIGHT - 5
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spansOf(line, style)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="${FOREGROUND}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n')
}

/** `style` goes on from line to line, as in a terminal. */
function spansOf(line: string, style: Style): string {
  let column = 0
  return line
    .split(SEQUENCES)
    .map((part) => {
      const codes = part.startsWith(ESCAPE) ? part.slice(ESCAPE.length, -1) : undefined
      if (codes !== undefined) apply(codes, style)
      if (codes !== undefined || part === '') return ''
      const x = (MARGIN + column * CELL_WIDTH).toFixed(1)
      const length = [...part].length
      column += length
      const bold = style.bold ? ' font-weight="bold"' : ''
      const dim = style.dim ? ' opacity="0.6"' : ''
      const size = ` textLength="${(length * CELL_WIDTH).toFixed(1)}"`
      return `<tspan x="${x}" fill="${style.colour}"${bold}${dim}${size}>${escaped(part)}</tspan>`
    })
    .join('')
}

function apply(codes: string, style: Style): void {
  for (const code of codes.split(';').map(Number)) Object.assign(style, changeOf(code))
}

function changeOf(code: number): Partial<Style> {
  if (code === 0) return { colour: FOREGROUND, bold: false, dim: false }
  if (code === 1) return { bold: true }
  if (code === 2) return { dim: true }
  const isColour = code % 10 <= 7 && [3, 9].includes(Math.floor(code / 10))
  if (isColour) return { colour: COLOURS[code % 10] ?? FOREGROUND }
  return code === 39 ? { colour: FOREGROUND } : {}
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
