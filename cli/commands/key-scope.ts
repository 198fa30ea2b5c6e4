/** Options of keys issue and keys set: what a key may do. */
import { getOption, type Invocation } from '../command/command.ts'
import { readNumber } from './rows.ts'

export const SCOPE_OPTIONS = [
  {
    flag: 'tools',
    value: 'GLOBS',
    help: 'tools that the key may call, such as sg_*,ada_notes; none or all',
  },
  { flag: 'max-credits', value: 'N', help: 'most credits of one call; none for no limit' },
  { flag: 'monthly-budget', value: 'N', help: 'most credits of a month; none for no budget' },
] as const

/** The fields of a body; undefined for options that were not given. */
export function scopeBody(call: Invocation) {
  return {
    tools: globsOf(getOption(call, 'tools')),
    maxCreditsPerCall: limitOf(call, 'max-credits'),
    monthlyBudget: limitOf(call, 'monthly-budget'),
  }
}

/** The globs of a key in a list. */
export function toolsText(tools: unknown): string {
  if (!Array.isArray(tools)) return 'all'
  return tools.length === 0 ? 'none' : tools.join(',')
}

function globsOf(text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined
  if (text === 'all') return null
  return text === 'none' ? [] : text.split(',').map((glob) => glob.trim())
}

function limitOf(call: Invocation, flag: 'max-credits' | 'monthly-budget') {
  const text = getOption(call, flag)
  if (text === undefined) return undefined
  return text === 'none' ? null : readNumber(text, `--${flag}`)
}
