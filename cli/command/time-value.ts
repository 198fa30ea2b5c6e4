/** Times of options: `2h` ago, or a date or time as the gateway takes it. */
import { type Invocation, type Option, option } from './command.ts'

const UNITS_MS: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export const SINCE: Option = {
  flag: 'since',
  value: 'TIME',
  help: 'from then on: 30m, 2h or 7d ago, 2026-11-22, or 2026-11-22T21:30:00Z',
}
export const UNTIL: Option = { flag: 'until', value: 'TIME', help: 'before this time' }

/**
 * Milliseconds since 1970 for `2h`, down to a whole `stepMs`; other texts as they are, since the gateway
 * judges them.
 */
export function timeOf(call: Invocation, flag: string, stepMs = 1): string | undefined {
  const text = option(call, flag)
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text ?? '') ?? []
  if (count === undefined) return text
  const ms = call.shell.nowMs() - Number(count) * (UNITS_MS[unit] ?? 0)
  return String(ms - (ms % stepMs))
}
