/**
 * Sums as CSV (RFC 4180) and as NDJSON, for spreadsheets and programs. Neither has totals, because
 * a pivot table would count them again.
 */
import { formatCsvLine } from '../../usage/csv.ts'
import type { Dimension, Dimensions } from '../../usage/usage-dimensions.ts'
import type { UsageEntry } from './read-usage.ts'

const NAME_COLUMNS: { readonly [by in Dimension]: readonly (keyof UsageEntry)[] } = {
  skill: ['skillId', 'source'],
  user: ['uid'],
  key: ['keyId', 'uid'],
  day: ['day'],
  month: ['month'],
}
const NUMBER_COLUMNS = [
  'calls',
  'settled',
  'refunded',
  'charged',
  'givenBack',
  'durationMs',
] as const

/**
 * CSV of all entries. Reasons are one column: `reason:count`, separated by spaces. With a currency
 * there is a column of money, which has the currency in its head.
 */
export function writeUsageCsv(
  by: Dimensions,
  entries: readonly UsageEntry[],
  currency?: string | undefined,
): string {
  const names = [...new Set(by.flatMap((one) => NAME_COLUMNS[one]))]
  const columns = [...names, ...NUMBER_COLUMNS]
  const money = currency === undefined ? [] : [`charged ${currency}`]
  const lines = entries.map((entry) => {
    const reasons = Object.entries(entry.reasons).map(([reason, count]) => `${reason}:${count}`)
    const cells = columns.map((column) => String(entry[column] ?? ''))
    return [...cells, reasons.join(' '), ...money.map(() => entry.money ?? '')]
  })
  return [[...columns, 'reasons', ...money], ...lines].map(formatCsvLine).join('')
}

/** One JSON object in each line. */
export function writeUsageNdjson(entries: readonly UsageEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}
