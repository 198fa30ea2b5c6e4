/** Sums as CSV (RFC 4180) and as NDJSON, for spreadsheets and programs. */
import type { UsageBy, UsageEntry } from './read-usage.ts'

const NAME_COLUMNS: { readonly [by in UsageBy]: readonly (keyof UsageEntry)[] } = {
  skill: ['skillId', 'source'],
  user: ['uid'],
  key: ['keyId', 'uid'],
  day: ['day'],
}
const NUMBER_COLUMNS = [
  'calls',
  'settled',
  'refunded',
  'charged',
  'givenBack',
  'durationMs',
] as const

/** CSV of all entries. Reasons are one column: `reason:count`, separated by spaces. */
export function writeUsageCsv(by: UsageBy, entries: readonly UsageEntry[]): string {
  const columns = [...NAME_COLUMNS[by], ...NUMBER_COLUMNS]
  const lines = entries.map((entry) => {
    const reasons = Object.entries(entry.reasons).map(([reason, count]) => `${reason}:${count}`)
    return [...columns.map((column) => String(entry[column] ?? '')), reasons.join(' ')]
  })
  return [[...columns, 'reasons'], ...lines]
    .map((cells) => `${cells.map(toCsvCell).join(',')}\r\n`)
    .join('')
}

/** One JSON object in each line. */
export function writeUsageNdjson(entries: readonly UsageEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** A spreadsheet runs a cell that begins like a formula; an apostrophe makes the cell a text. */
function toCsvCell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
