/** What shows in the output of a bench that it did not measure what it prints: figures that are none, and tables with holes. */

const NO_FIGURES = /\b(?:NaN|undefined|Infinity)\b/
const RULE = /^\| --- \|/

export function outputFaults(text: string): readonly string[] {
  const lines = text.split('\n')
  const tables = lines.flatMap((line, at) => (RULE.test(line) ? [at] : []))
  return [
    ...(tables.length === 0 ? ['prints no table'] : []),
    ...tables.flatMap((rule) => tableFaults(lines, rule)),
    ...lines
      .filter((line) => NO_FIGURES.test(line))
      .map((line) => `prints what is no figure: ${line}`),
  ]
}

/** `rule`: the line below the column names. */
function tableFaults(lines: readonly string[], rule: number): readonly string[] {
  const names = lines[rule - 1] ?? ''
  const end = lines.findIndex((line, at) => at > rule && !line.startsWith('|'))
  const rows = lines.slice(rule + 1, end === -1 ? undefined : end)
  if (rows.length === 0) return [`prints a table without rows: ${names}`]
  return rows
    .filter((row) => cellsOf(row) !== cellsOf(names))
    .map((row) => `prints a row of another width than its table: ${row}`)
}

function cellsOf(row: string): number {
  return row.split(' | ').length
}
