/**
 * Converts CSV (RFC 4180) to JSON with papaparse. Values stay texts: a postcode keeps its zeros and
 * a long id its digits. CSV that would lose data is refused: a quote that never ends, a row longer
 * than its header.
 */
import Papa from 'papaparse'
import { err, ok, type Result } from '../../core/errors.ts'
import { CSV_COLUMNS_MAX, CSV_LINES_MAX, JSON_CHARS_MAX } from './conversion-limits.ts'

export type CsvOptions = {
  readonly delimiter: string
  /** `none`: rows become lists. */
  readonly header: 'first_row' | 'none'
}

type Row = readonly string[]

/** Returns JSON text. An error is a clause that continues "The upstream's CSV …". */
export function csvToJson(text: string, { delimiter, header }: CsvOptions): Result<string, string> {
  const preview = CSV_LINES_MAX + 1
  const { data, errors, meta } = Papa.parse<Row>(text, { delimiter, preview })
  if (meta.truncated || data.length > CSV_LINES_MAX) return err(TOO_MANY_LINES)
  const [quote] = errors
  if (quote !== undefined) return err(`has a quote out of place in row ${(quote.row ?? 0) + 1}`)
  const rows = data.filter((row) => row.length > 1 || row[0] !== '')
  if (rows.some((row) => row.length > CSV_COLUMNS_MAX)) {
    return err(`has over ${CSV_COLUMNS_MAX} columns. Ask the upstream for fewer`)
  }
  return header === 'none' ? writeJson({ rows }) : writeNamedRows(rows)
}

const TOO_MANY_LINES = `has over ${CSV_LINES_MAX} lines. Ask the upstream for fewer`
const TOO_LONG = `becomes over ${JSON_CHARS_MAX} characters of JSON. Ask the upstream for less`

/** Characters of JSON that a member adds: quotes, colon and comma. */
const MEMBER_CHARS = 6

function writeNamedRows([head = [], ...rows]: readonly Row[]): Result<string, string> {
  const columns = makeUniqueNames(head)
  const long = rows.findIndex((row) => row.length > columns.length)
  if (long >= 0) {
    const found = `has ${rows[long]?.length} values in row ${long + 2}`
    return err(`${found} and ${columns.length} columns in its header`)
  }
  // Counted before the rows are written: long names and short rows can make JSON of any size.
  const charsUpTo = [0]
  for (const name of columns) charsUpTo.push((charsUpTo.at(-1) ?? 0) + name.length + MEMBER_CHARS)
  const chars = rows.reduce((sum, row) => sum + (charsUpTo[row.length] ?? 0), 0)
  if (chars > JSON_CHARS_MAX) return err(TOO_LONG)
  const records = rows.map((row) =>
    Object.fromEntries(row.map((value, at) => [columns[at] ?? '', value])),
  )
  return writeJson({ columns, rows: records })
}

/** An empty name becomes `column_3`, by its position; a repeated name gets a number. */
function makeUniqueNames(head: Row): readonly string[] {
  const takenNames = new Set<string>()
  return head.map((cell, at) => {
    const wanted = cell.trim() === '' ? `column_${at + 1}` : cell.trim()
    let name = wanted
    for (let next = 2; takenNames.has(name); next += 1) name = `${wanted}_${next}`
    takenNames.add(name)
    return name
  })
}

function writeJson(value: object): Result<string, string> {
  const text = JSON.stringify(value)
  return text.length > JSON_CHARS_MAX ? err(TOO_LONG) : ok(text)
}
