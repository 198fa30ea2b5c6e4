/**
 * The options of `keys issue`, `keys set` and `invites create` that limit an API key: its tools, the price of a call,
 * the budget of a month and the calls of a day. The gateway checks the values (docs/service.md,
 * Scopes of keys).
 */
import { getOption, type Invocation } from '../command/command.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readNumber } from './rows.ts'

export const SCOPE_OPTIONS = [
  {
    flag: 'tools',
    value: 'GLOBS',
    help: 'tools that the key may call, such as sg_*,ada_notes; none or all',
  },
  { flag: 'max-credits', value: 'N', help: 'most credits of one call; none for no limit' },
  { flag: 'monthly-budget', value: 'N', help: 'most credits of a month; none for no budget' },
  { flag: 'calls-per-day', value: 'N', help: 'most calls of a day (UTC); none for no limit' },
  { flag: 'may-issue-keys', value: 'YES', help: 'yes if the key may issue sub-keys, otherwise no' },
] as const

/** Returns the fields of the request body. A field is undefined if its option was not given. */
export function toScopeBody(call: Invocation) {
  return {
    tools: readGlobs(getOption(call, 'tools')),
    maxCreditsPerCall: readLimit(call, 'max-credits'),
    monthlyBudget: readLimit(call, 'monthly-budget'),
    callsPerDay: readLimit(call, 'calls-per-day'),
    mayIssueKeys: readYes(getOption(call, 'may-issue-keys')),
  }
}

/** Returns the globs of a key as a cell of a list: `all`, `none`, or globs with commas. */
export function formatTools(tools: unknown): string {
  if (!Array.isArray(tools)) return 'all'
  return tools.length === 0 ? 'none' : tools.join(',')
}

/** Returns the calls of a day of a key as a cell; undefined without a limit. */
export function formatDay(callsPerDay: unknown): string | undefined {
  if (callsPerDay === undefined) return undefined
  const { limit, made, renewsOn } = toFields(callsPerDay)
  return `${made} of ${limit} made, renews on ${renewsOn}`
}

/** Returns the calls of a day as a short cell: `4/100`, made of the limit. */
export function formatShortDay(callsPerDay: unknown): string | undefined {
  if (callsPerDay === undefined) return undefined
  const { limit, made } = toFields(callsPerDay)
  return `${made}/${limit}`
}

/** Returns what a key may call as a cell: `sg_*, up to 0.5 a call, issues keys`. */
export function formatScope({
  maxCreditsPerCall,
  mayIssueKeys,
  parentKeyId,
  tools,
}: Fields): string {
  return [
    formatTools(tools),
    ...(maxCreditsPerCall === undefined ? [] : [`up to ${maxCreditsPerCall} a call`]),
    ...(mayIssueKeys === true ? ['issues keys'] : []),
    ...(parentKeyId === undefined ? [] : [`sub-key of ${String(parentKeyId).slice(0, 8)}`]),
  ].join(', ')
}

function readGlobs(text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined
  if (text === 'all') return null
  return text === 'none' ? [] : text.split(',').map((glob) => glob.trim())
}

function readYes(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (text === 'yes' || text === 'no') return text === 'yes'
  throw toUsageFault('--may-issue-keys is neither yes nor no.', 'Write --may-issue-keys yes.')
}

function readLimit(call: Invocation, flag: 'calls-per-day' | 'max-credits' | 'monthly-budget') {
  const text = getOption(call, flag)
  if (text === undefined) return undefined
  return text === 'none' ? null : readNumber(text, `--${flag}`)
}
