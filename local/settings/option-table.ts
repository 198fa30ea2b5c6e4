/**
 * The options of the twin: the one table behind parsing and `--help`. Each option is also an
 * environment variable; the command line wins. Bound by docs/service.md, Laptop twin.
 */

import type { EventTargetText } from '../../adapters/config/event-target.ts'
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { LEDGER_HOT_DAYS_DEFAULT } from '../../core/ledger/limits.ts'

export type Options = {
  readonly port: number
  readonly host: string
  readonly data: string
  readonly memory: boolean
  readonly outboundAllow: readonly string[]
  readonly events: EventTargetText | undefined
  /** Micro-credits. */
  readonly lowBalance: number
  readonly callsPerMinute: number
  readonly ledgerHotDays: number
  readonly prefix: string
  readonly holdLastChunk: boolean
  readonly noProfile: boolean
  readonly json: boolean
}

export const DEFAULTS: Options = {
  port: 8787,
  host: '127.0.0.1',
  data: '.local',
  memory: false,
  outboundAllow: [],
  events: undefined,
  lowBalance: 0,
  callsPerMinute: 60,
  ledgerHotDays: LEDGER_HOT_DAYS_DEFAULT,
  prefix: 'sg',
  holdLastChunk: false,
  noProfile: false,
  json: false,
}

export type OptionRow = {
  readonly flag: string
  readonly env: string
  readonly key: keyof Options
  /** Placeholder of its value in `--help`; undefined for a switch. */
  readonly value: string | undefined
  readonly help: string
}

export const OPTION_ROWS: readonly OptionRow[] = [
  row('port', 'port', 'N', 'port to listen on (8787; 0 takes a free one)'),
  row('host', 'host', 'HOST', 'address to listen on (127.0.0.1)'),
  row('data', 'data', 'FOLDER', 'where users, skills, credits and keys are kept (.local)'),
  row('memory', 'memory', undefined, 'keep nothing on disk; --data is ignored'),
  row(
    'outbound-allow',
    'outboundAllow',
    'HOST[:PORT],…',
    'hosts that skills may reach by http and at private addresses (only the own sample upstream)',
  ),
  row(
    'events',
    'events',
    'TARGET',
    'URL of a webhook, or bus:NAME of an EventBridge bus, that is told of low balances and reached budgets (none)',
  ),
  row('low-balance', 'lowBalance', 'CREDITS', 'credits at or below which a balance is low (0)'),
  row(
    'calls-per-minute',
    'callsPerMinute',
    'N',
    'calls a free-tier user may make in a minute (60)',
  ),
  row(
    'ledger-hot-days',
    'ledgerHotDays',
    'N',
    'days after which calls are only in the archive, a folder beside the store (90)',
  ),
  row('prefix', 'prefix', 'NAME', 'prefix of skill ids and tool names (sg)'),
  row(
    'hold-last-chunk',
    'holdLastChunk',
    undefined,
    'imitate AWS: hold a small chunk of a stream until the next write',
  ),
  row(
    'no-profile',
    'noProfile',
    undefined,
    'leave the profile local of the command line as it is; --json does so too',
  ),
  row(
    'json',
    'json',
    undefined,
    'when ready print one line of JSON on stdout, for scripts (npm --silent start -- --json); logs go to stderr, each line JSON',
  ),
]

/** The text of `--help`. */
export function helpText(version: string): string {
  const heads = OPTION_ROWS.map((option) => `--${option.flag}${placeholder(option)}`)
  const width = Math.max(...heads.map((head) => head.length))
  const margin = `\n${' '.repeat(width + 4)}`
  const lines = OPTION_ROWS.map(({ env, help }, i) => {
    const rows = [...wrapWords(help, HELP_COLUMNS - width - 4), env]
    return `  ${(heads[i] ?? '').padEnd(width)}  ${rows.join(margin)}`
  })
  return [
    `Skillgate ${version}: the whole gateway on this machine, without an AWS account.`,
    '',
    'npm start -- [options]   each option is also the environment variable below it',
    '',
    ...lines,
    `  ${'--help'.padEnd(width)}  print this`,
    `  ${'--version'.padEnd(width)}  print the version`,
    '',
  ].join('\n')
}

const HELP_COLUMNS = 80

function placeholder(option: OptionRow): string {
  return option.value === undefined ? '' : ` ${option.value}`
}

function row(flag: string, key: keyof Options, value: string | undefined, help: string): OptionRow {
  return { flag, env: `SKILLGATE_${flag.replaceAll('-', '_').toUpperCase()}`, key, value, help }
}
