/** Lines of CSV (RFC 4180) that no spreadsheet runs. */

/** A line with its end. */
export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`
}

/**
 * A spreadsheet runs a cell that begins like a formula; an apostrophe makes the cell a text. A
 * negative number stays a number.
 */
function toCsvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r\n]/.test(text) && !/^-\d+(?:\.\d+)?$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
