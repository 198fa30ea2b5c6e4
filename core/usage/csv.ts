/** Lines of CSV (RFC 4180) that no spreadsheet runs. */

/**
 * The beginnings of formulas, wide forms included. A spreadsheet runs such a cell; an apostrophe
 * before it makes it a text (OWASP, CSV Injection). A negative number is no formula.
 */
export const FORMULA = /^(?:[=+@\t\r\n＝＋－＠]|-(?!\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$))/

/** A line with its end. */
export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(toCsvCell).join(',')}\r\n`
}

function toCsvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
