/**
 * Finds which tests cite which rows: a comment `// Holds: RPC-1, RPC-2` stands right above a test. A
 * comment that no test follows is a fault, so that a deleted test takes its citation along.
 */

export type Citation = { readonly id: string; readonly file: string; readonly title: string }
export type Citations = {
  readonly cited: readonly Citation[]
  /** `file:line` of comments that stand above no test. */
  readonly loose: readonly string[]
}

const HOLDS = /^\s*\/\/ Holds: (.+)$/
const ID_LIST = /^[A-Z]+-\d+(?:, [A-Z]+-\d+)*$/
/** The title is the first string after the opening of a test, on its line or the next. */
const TEST = /^\s*(?:test|it)(?:\.\w+)*\(\s*(?:(['"`])(.+?)\1)?/
const TITLE = /(['"`])(.+?)\1/
/** Lines between a test's opening and its title: `test.each([…])` may hold a table. */
const TITLE_LINES_MAX = 80

export function citationsOf(file: string, source: string): Citations {
  const lines = source.split('\n')
  const cited: Citation[] = []
  const loose: string[] = []
  lines.forEach((line, index) => {
    const ids = HOLDS.exec(line)?.[1]?.trim()
    if (ids === undefined) return
    const title = titleBelow(lines, index + 1)
    if (title === undefined || !ID_LIST.test(ids)) loose.push(`${file}:${index + 1}`)
    else cited.push(...ids.split(', ').map((id) => ({ id, file, title })))
  })
  return { cited, loose }
}

function titleBelow(lines: readonly string[], from: number): string | undefined {
  const opening = TEST.exec(lines[from] ?? '')
  if (opening === null) return undefined
  if (opening[2] !== undefined) return opening[2]
  if (/\.(?:each|for)\(/.test(lines[from] ?? '')) return titleOfTable(lines, from)
  return TITLE.exec(lines[from + 1] ?? '')?.[2]
}

/** The title stands after the table's closing `])(` . */
function titleOfTable(lines: readonly string[], from: number): string | undefined {
  for (let at = from; at < Math.min(lines.length, from + TITLE_LINES_MAX); at += 1) {
    const after = /\)\(\s*(.*)$/.exec(lines[at] ?? '')
    if (after === null) continue
    return (TITLE.exec(after[1] ?? '') ?? TITLE.exec(lines[at + 1] ?? ''))?.[2]
  }
  return undefined
}
