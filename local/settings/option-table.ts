/**
 * The options of the twin: the rows of the table of settings that have one. Each option is also an
 * environment variable; the command line overrides it. Bound by docs/service.md, Laptop twin.
 */
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { listDefaults } from '../../core/settings/read-setting.ts'
import type { Setting, Settings, ValuesOf } from '../../core/settings/setting.ts'
import { SETTINGS, TWIN_SETTINGS } from '../../core/settings/table.ts'

const SETTING_ROWS = { ...TWIN_SETTINGS, ...SETTINGS }

type OptionKey = {
  [K in keyof typeof SETTING_ROWS]: (typeof SETTING_ROWS)[K] extends { readonly twin: object }
    ? K
    : never
}[keyof typeof SETTING_ROWS]

export type Options = Pick<ValuesOf<typeof SETTING_ROWS>, OptionKey>

export type OptionRow = {
  readonly flag: string
  readonly env: string
  readonly key: string
  /** The placeholder of the value in `--help`; undefined for a switch. */
  readonly value: string | undefined
  readonly help: string
  readonly setting: Setting
}

export const OPTION_ROWS: readonly OptionRow[] = Object.entries<Setting>(SETTING_ROWS).flatMap(
  ([key, row]) => toOptionRows(key, row),
)

const OPTION_SETTINGS: Settings = Object.fromEntries(
  OPTION_ROWS.map(({ key, setting }) => [key, setting]),
)

// The cast is safe, because the rows are those with an option.
export const DEFAULT_OPTIONS = listDefaults(OPTION_SETTINGS) as Options

/** Returns the text of `--help`. */
export function formatHelp(version: string): string {
  const heads = OPTION_ROWS.map(formatOptionHead)
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

/** Returns the option as a person types it, with the placeholder of its value. */
export function formatOptionHead({ flag, value }: Pick<OptionRow, 'flag' | 'value'>): string {
  return value === undefined ? `--${flag}` : `--${flag} ${value}`
}

const HELP_COLUMNS = 80

/** Returns a list with one row, or an empty list for a setting without an option. */
function toOptionRows(key: string, row: Setting): readonly OptionRow[] {
  if (row.twin === undefined) return []
  const { flag: written, ...more } = row.twin
  const [head = '', value] = written.split(' ')
  const flag = head.slice(2)
  // The cast is safe, because the fields that replace those of a row are of the same kind.
  const setting = { ...row, ...more } as Setting
  const env = row.twin.env ?? `SKILLGATE_${flag.replaceAll('-', '_').toUpperCase()}`
  const help = `${row.says}${row.kind === 'switch' ? '' : ` (${formatDefault(setting)})`}`
  return [{ flag, env, key, value, help, setting }]
}

function formatDefault({ default: value }: Setting): string {
  return value === undefined || (Array.isArray(value) && value.length === 0)
    ? 'none'
    : String(value)
}
