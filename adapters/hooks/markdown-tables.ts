/**
 * Rules of turndown that turn HTML tables into tables of GitHub Flavored Markdown (GFM 4.10). A
 * cell that spans rows or columns is followed by empty cells, so that each value stays under its
 * heading. Layout tables become plain lines: those with a table inside, with one column and no
 * heading, or with role=presentation.
 */
import type TurndownService from 'turndown'

/** The members of turndown's DOM nodes that are used here. */
type Node = {
  readonly nodeName: string
  readonly parentNode: Node | null
  readonly childNodes: ArrayLike<Node>
  getAttribute(name: string): string | null
  getElementsByTagName(name: string): ArrayLike<Node>
}

type Table = { readonly rows: readonly (readonly Node[])[]; readonly hasHead: boolean }

/**
 * HTML allows spans of 1,000 and 65,534, with which a few hundred bytes make a page of empty cells.
 */
const SPAN_MAX = 50
const SECTIONS: ReadonlySet<string> = new Set(['THEAD', 'TBODY', 'TFOOT'])
const CELLS: ReadonlySet<string> = new Set(['TD', 'TH'])

export function addTableRules(service: TurndownService): TurndownService {
  const tables = new WeakMap<Node, { readonly table: Table | undefined }>()
  /** The Markdown of each cell; turndown converts the cells of a table before the table. */
  const texts = new WeakMap<Node, string>()
  const findTable = (node: Node): Table | undefined => {
    const known = tables.get(node) ?? { table: readTable(node) }
    tables.set(node, known)
    return known.table
  }
  const isInTable = (node: Node): boolean => {
    const own = closestTable(node)
    return own !== undefined && findTable(own) !== undefined
  }
  return service
    .addRule('table-cell', {
      filter: (node) => CELLS.has(node.nodeName) && isInTable(node),
      replacement: (content, node) => {
        texts.set(node, toCellText(content))
        return ''
      },
    })
    .addRule('table', {
      filter: (node) => node.nodeName === 'TABLE' && findTable(node) !== undefined,
      replacement: (content, node) => {
        const table = findTable(node)
        const lines = table === undefined ? [] : writeLines(table, (cell) => texts.get(cell) ?? '')
        // The remaining content is the caption.
        const caption = content.trim()
        return `\n\n${caption === '' ? '' : `${caption}\n\n`}${lines.join('\n')}\n\n`
      },
    })
}

function closestTable(node: Node): Node | undefined {
  for (let at = node.parentNode; at !== null; at = at.parentNode) {
    if (at.nodeName === 'TABLE') return at
  }
  return undefined
}

/** Undefined for a layout table. */
function readTable(node: Node): Table | undefined {
  if (node.getAttribute('role') === 'presentation') return undefined
  if (node.getElementsByTagName('table').length > 0) return undefined
  const rows = listChildren(node).flatMap((child) => {
    const inside = SECTIONS.has(child.nodeName) ? listChildren(child) : [child]
    return inside.filter(({ nodeName }) => nodeName === 'TR')
  })
  const cells = rows.map((row) => listChildren(row).filter(({ nodeName }) => CELLS.has(nodeName)))
  const [first = []] = cells
  const isHead = first.length > 0 && first.every(({ nodeName }) => nodeName === 'TH')
  const hasHead = isHead || rows[0]?.parentNode?.nodeName === 'THEAD'
  const isData = hasHead || cells.some((row) => row.length > 1)
  return isData ? { rows: cells, hasHead } : undefined
}

function listChildren({ childNodes }: Node): readonly Node[] {
  return Array.from(childNodes)
}

/** A table of GFM begins with a heading; a table without one gets empty names. */
function writeLines({ hasHead, rows }: Table, readCell: (cell: Node) => string): readonly string[] {
  const grid = makeGrid(rows, readCell)
  const columns = grid.reduce((most, row) => Math.max(most, row.length), 0)
  const [head = [], ...rest] = hasHead ? grid : [[], ...grid]
  const named = [...head, ...Array<string>(columns - head.length).fill('')]
  return [named, Array<string>(columns).fill('---'), ...rest].map(writeRow)
}

function makeGrid(
  rows: readonly (readonly Node[])[],
  readCell: (cell: Node) => string,
): readonly (readonly string[])[] {
  /** By column: how many more rows a cell above covers. */
  const covered: number[] = []
  return rows.map((cells) => {
    const line: string[] = []
    const skip = () => {
      while ((covered[line.length] ?? 0) > 0) {
        covered[line.length] = (covered[line.length] ?? 0) - 1
        line.push('')
      }
    }
    for (const cell of cells) {
      skip()
      const rowsBelow = readSpan(cell, 'rowspan') - 1
      for (let column = 0; column < readSpan(cell, 'colspan'); column += 1) {
        covered[line.length] = rowsBelow
        line.push(column === 0 ? readCell(cell) : '')
      }
    }
    skip()
    return line
  })
}

function readSpan(cell: Node, attribute: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(cell.getAttribute(attribute) ?? '', 10)
  return Number.isNaN(span) ? 1 : Math.min(SPAN_MAX, Math.max(1, span))
}

/** The cell's content as one line, in which bars are escaped. */
function toCellText(content: string): string {
  const lines = content.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .join('<br>')
    .replaceAll('|', '\\|')
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
