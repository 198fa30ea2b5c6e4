/**
 * Finds signs in the output of a bench that it did not measure what it prints: figures that are no
 * numbers, and tables with holes.
 */

const NO_FIGURES = /\b(?:NaN|undefined|Infinity)\b/
const TABLE_RULE = /^\| --- \|/

export function findOutputErrors(text: string): readonly string[] {
  const lines = text.split('\n')
  const tables = lines.flatMap((line, at) => (TABLE_RULE.test(line) ? [at] : []))
  return [
    ...(tables.length === 0 ? ['prints no table'] : []),
    ...tables.flatMap((rule) => findTableErrors(lines, rule)),
    ...lines
      .filter((line) => NO_FIGURES.test(line))
      .map((line) => `prints what is no figure: ${line}`),
  ]
}

/** Finds errors of one table; `rule` is the line below the column names. */
function findTableErrors(lines: readonly string[], rule: number): readonly string[] {
  const names = lines[rule - 1] ?? ''
  const end = lines.findIndex((line, at) => at > rule && !line.startsWith('|'))
  const rows = lines.slice(rule + 1, end === -1 ? undefined : end)
  if (rows.length === 0) return [`prints a table without rows: ${names}`]
  return rows
    .filter((row) => countCells(row) !== countCells(names))
    .map((row) => `prints a row of another width than its table: ${row}`)
}

function countCells(row: string): number {
  return row.split(' | ').length
}
