/** Reads times of options: `2h` ago, or a date or time in a form that the gateway accepts. */
import { getOption, type Invocation, type Option } from './command.ts'

const UNITS_MS: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export const SINCE: Option = {
  flag: 'since',
  value: 'TIME',
  help: 'from then on: 30m, 2h, 7d or 6mo ago, 2026-11, 2026-11-22, or 2026-11-22T21:30:00Z',
}
export const UNTIL: Option = { flag: 'until', value: 'TIME', help: 'before this time' }

/**
 * Returns milliseconds since 1970 as text for a value such as `2h`, rounded down to a multiple of
 * `stepMs`; `6mo` and `2026-11` mean the first day of that month (UTC). Returns other values as they
 * are, because the gateway checks them.
 */
export function readTime(call: Invocation, flag: string, stepMs = 1): string | undefined {
  const text = getOption(call, flag)
  if (text !== undefined && /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return `${text}-01`
  const [, months] = /^(\d{1,3})mo$/.exec(text ?? '') ?? []
  if (months !== undefined) return String(findMonthStart(call.shell.nowMs(), Number(months)))
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text ?? '') ?? []
  if (count === undefined) return text
  const ms = call.shell.nowMs() - Number(count) * (UNITS_MS[unit] ?? 0)
  return String(ms - (ms % stepMs))
}

function findMonthStart(nowMs: number, monthsAgo: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1)
}
