/** Sums as CSV (RFC 4180) and as NDJSON, for spreadsheets and programs. */
import type { UsageBy, UsageEntry } from './read-usage.ts'

const NAMES: { readonly [by in UsageBy]: readonly (keyof UsageEntry)[] } = {
  skill: ['skillId', 'source'],
  user: ['uid'],
  key: ['keyId', 'uid'],
  day: ['day'],
}
const NUMBERS = ['calls', 'settled', 'refunded', 'charged', 'givenBack', 'durationMs'] as const

/** Reasons are one column, `reason:count` parted by spaces. */
export function usageCsv(by: UsageBy, entries: readonly UsageEntry[]): string {
  const columns = [...NAMES[by], ...NUMBERS]
  const lines = entries.map((entry) => {
    const reasons = Object.entries(entry.reasons).map(([reason, count]) => `${reason}:${count}`)
    return [...columns.map((column) => String(entry[column] ?? '')), reasons.join(' ')]
  })
  return [[...columns, 'reasons'], ...lines]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')
}

export function usageNdjson(entries: readonly UsageEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** A spreadsheet runs a cell that begins like a formula; an apostrophe makes it a text. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
