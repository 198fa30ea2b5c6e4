/**
 * `npm run settings:page`: writes docs/settings.md and skillgate.config.schema.json from the table of
 * settings. A test fails when one of them is out of date.
 */
import '../bench/lib/help.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeRule } from '../core/settings/read-setting.ts'
import type { Setting, Settings } from '../core/settings/setting.ts'
import { BUILT_IN_STAGES, type BuiltInStage } from '../core/settings/stage-records.ts'
import { FUNCTION_SETTINGS, SETTINGS, STAGE_SETTINGS } from '../core/settings/table.ts'
import { STAGE_FIELDS } from '../lib/stage.ts'
import { getStage } from '../lib/stages.ts'
import { formatOptionHead, OPTION_ROWS } from '../local/settings/option-table.ts'
import { formatConfigSchema, SCHEMA_FILE } from './config-schema.ts'

const PAGE = join(import.meta.dirname, '../docs/settings.md')

export function formatSettingsPage(): string {
  return [
    '# Settings',
    '`npm run settings:page` writes this page from the table of settings, [core/settings/table.ts](../core/settings/table.ts). A value that does not fit is refused with one line for each fault: the name, the value, and what to give.',
    '## Fields of a stage',
    'A stage is an entry of `stages` in `skillgate.config.json`, with the fields in which it differs from the stage that it is `like` ([deploy.md](deploy.md#settings)). The built-in stages `dev` and `prod` have the defaults of this table, except where it names them. In the file a number is a number, a switch `true` or `false`, and a list a list of texts; `null` takes away a value that the other stage has, where the default is none.',
    formatTable(['Field', 'Default', 'Value', 'Meaning'], toStageRows()),
    '## Variables of the functions',
    'A function reads its variables once, at start; one error names all that are missing or wrong, without values of secrets. The stacks write these from the fields of the stage, with `on` and `off` for a switch and commas between entries of a list:',
    formatTable(['Variable', 'Field'], toFieldRows()),
    'The stacks and Lambda make the others. A variable without a default is required by the functions that read it.',
    formatTable(['Variable', 'Default', 'Value', 'Meaning'], toVariableRows()),
    '## Options of the twin',
    'Options follow `npm start --`, or are set in the environment; the command line wins. `npm start -- --help` prints them.',
    formatTable(['Option', 'Environment', 'Value', 'Meaning (default)'], toOptionRows()),
  ]
    .join('\n\n')
    .concat('\n')
}

function toStageRows(): readonly string[][] {
  const settings: Settings = { ...SETTINGS, ...STAGE_SETTINGS }
  return Object.entries(settings).map(([name, row]) => [
    toCode(name),
    [formatDefault(row), ...BUILT_IN_STAGES.flatMap((stage) => formatOwn(stage, name, row))].join(
      '; ',
    ),
    describeRule(row, 'stage'),
    row.says,
  ])
}

/** The value that a built-in stage has in place of the default. */
function formatOwn(stage: BuiltInStage, name: string, row: Setting): readonly string[] {
  const field = Object.keys(STAGE_FIELDS).find((one) => one === name) as keyof typeof STAGE_FIELDS
  const value = getStage(stage)[field]
  const own = formatDefault({ ...row, default: value })
  return own === formatDefault(row) ? [] : [`${toCode(stage)} ${own}`]
}

function toFieldRows(): readonly string[][] {
  return Object.entries(SETTINGS).map(([name, { env }]) => [toCode(env), toCode(name)])
}

function toVariableRows(): readonly string[][] {
  return Object.entries<Setting>(FUNCTION_SETTINGS).map(([name, row]) => [
    toCode(name),
    'default' in row ? formatDefault(row, 'on', 'off') : '–',
    describeRule(row, 'function'),
    row.says,
  ])
}

function toOptionRows(): readonly string[][] {
  return OPTION_ROWS.map((row) => [
    toCode(formatOptionHead(row)),
    toCode(row.env),
    describeRule(row.setting, 'twin'),
    row.help,
  ])
}

function formatDefault({ default: value }: Setting, on = 'true', off = 'false'): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none'
  if (typeof value === 'boolean') return value ? on : off
  if (typeof value !== 'object') return String(value)
  return Object.entries(Object(value))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function formatTable(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function toCode(text: string): string {
  return `\`${text}\``
}

if (import.meta.main) {
  writeFileSync(PAGE, formatSettingsPage())
  writeFileSync(SCHEMA_FILE, formatConfigSchema())
}
