/**
 * A statement as one HTML document for print and screen. It has no script and loads nothing, which
 * its Content-Security-Policy also says; every text from the gateway is escaped. Printed on A4, the
 * heads of tables are repeated on each page, and no row is divided.
 */
import { escapeMarkup } from '../json/escape-markup.ts'
import type { Statement } from './statement.ts'
import {
  describeStatement,
  listStatementNotes,
  type StatementTable,
  toStatementTables,
} from './statement-tables.ts'

const STYLE = `
@page { size: A4; margin: 22mm 18mm 20mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #555 } }
* { box-sizing: border-box }
body { font: 10pt/1.4 system-ui, "Helvetica Neue", Arial, sans-serif; color: #111; background: #fff; max-width: 174mm; margin: 12mm auto; padding: 0 4mm }
h1 { font-size: 17pt; font-weight: 600; margin: 0 0 3mm }
h2 { font-size: 11pt; font-weight: 600; margin: 8mm 0 2mm; break-after: avoid }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1mm 6mm; margin: 0 }
dt { color: #555 } dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
thead { display: table-header-group } tr { break-inside: avoid }
th { text-align: left; font-weight: 600; color: #555; border-bottom: 0.4mm solid #111 }
th, td { padding: 1mm 2mm 1mm 0; vertical-align: top; overflow-wrap: anywhere }
td { border-bottom: 0.15mm solid #ccc; unicode-bidi: isolate }
.n { text-align: right; padding-right: 0; padding-left: 4mm; white-space: nowrap; overflow-wrap: normal }
.total td { font-weight: 600; border-top: 0.4mm solid #111; border-bottom: 0 }
footer { margin-top: 9mm; color: #555; font-size: 8.5pt }
@media print { body { margin: 0; padding: 0; max-width: none } }
`

/** The whole document. */
export function writeStatementHtml(statement: Statement): string {
  const title = `Statement ${statement.month} · ${statement.username}`
  const facts = describeStatement(statement)
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<header>',
    `<h1>Statement ${escapeHtml(statement.month)}</h1>`,
    `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`,
    '</header>',
    ...toStatementTables(statement).map(writeTable),
    `<footer>${listStatementNotes(statement)
      .map((note) => `<p>${escapeHtml(note)}</p>`)
      .join('')}</footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function writeTable({ columns, rows, title, total }: StatementTable): string {
  const heads = columns.map(
    ({ head, isNumber }) => `<th scope="col"${toClass(isNumber)}>${escapeHtml(head)}</th>`,
  )
  const writeRow = (cells: readonly string[], kind = '') =>
    `<tr${kind}>${cells.map((cell, at) => `<td${toClass(columns[at]?.isNumber)}>${escapeHtml(cell)}</td>`).join('')}</tr>`
  const body = [
    ...rows.map((row) => writeRow(row)),
    ...(total === undefined ? [] : [writeRow(total, ' class="total"')]),
  ]
  return [
    '<section>',
    `<h2>${escapeHtml(title)}</h2>`,
    `<table><thead><tr>${heads.join('')}</tr></thead>`,
    `<tbody>${body.join('\n')}</tbody></table>`,
    '</section>',
  ].join('\n')
}

function toClass(isNumber: boolean | undefined): string {
  return isNumber === true ? ' class="n"' : ''
}

/** Control characters, which HTML does not allow, are shown as a sign for an unknown character. */
function escapeHtml(text: string): string {
  return escapeMarkup(text).replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')
}
