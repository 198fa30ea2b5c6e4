/**
 * Reads command line and environment as typed options, or returns one line that says what to
 * change. Does not read the environment itself: main.ts passes it in.
 */
import { parseArgs } from 'node:util'
import { err, ok, type Result } from '../../core/errors.ts'
import { readText } from '../../core/settings/read-setting.ts'
import { readIssuersFile } from './issuers-file.ts'
import {
  DEFAULT_OPTIONS,
  formatOptionHead,
  OPTION_ROWS,
  type OptionRow,
  type Options,
} from './option-table.ts'

export type Environment = { readonly [name: string]: string | undefined }

/** The text of an option and its source, for the error message. */
type WrittenOption = { readonly text: string; readonly from: string }

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'start'; readonly options: Options }

/** Returns the command. An error is one line with the remedy. */
export function readOptions(
  args: readonly string[],
  environment: Environment,
): Result<Command, string> {
  const npmOption = OPTION_ROWS.find((row) => isTakenByNpm(row, environment))
  if (npmOption !== undefined) return err(explainNpm(npmOption))
  const written = new Map<OptionRow, WrittenOption>()
  for (const row of OPTION_ROWS) {
    const text = environment[row.env]
    if (text !== undefined && text !== '') written.set(row, { text, from: row.env })
  }
  const flags = readFlags(args, written)
  if (!flags.ok) return flags
  if (flags.value !== 'start') return ok({ kind: flags.value })
  let options = DEFAULT_OPTIONS
  for (const [{ key, setting }, { text, from }] of written) {
    const value =
      setting.kind === 'issuers'
        ? readIssuersFile(from, text)
        : readText(from, setting, { reader: 'twin', text })
    if (!value.ok) return err(value.error.join(' '))
    options = { ...options, [key]: value.value }
  }
  return checkTogether(options)
}

/** Checks the rules between options. */
function checkTogether(options: Options): Result<Command, string> {
  if (options.authExtensions.length === 0 || options.issuers.length > 0) {
    return ok({ kind: 'start', options })
  }
  return err('--auth-extensions: needs --issuers FILE, the issuers that serve them')
}

/** Adds the options of the command line to `written`, over those of the environment. */
function readFlags(
  args: readonly string[],
  written: Map<OptionRow, WrittenOption>,
): Result<'start' | 'help' | 'version', string> {
  const options = Object.fromEntries(
    OPTION_ROWS.map(
      (row) => [row.flag, { type: row.value === undefined ? 'boolean' : 'string' }] as const,
    ),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') return err(explainUnknown(token.value))
    if (token.kind === 'option-terminator') continue
    if (token.rawName === '--help' || token.rawName === '-h') return ok('help')
    if (token.rawName === '--version') return ok('version')
    const flag = readFlag(token.rawName, token.value)
    if (!flag.ok) return flag
    written.set(flag.value.row, { text: flag.value.text, from: token.rawName })
  }
  return ok('start')
}

/** Reads one option. A switch without a value is on. */
function readFlag(
  name: string,
  value: string | undefined,
): Result<{ row: OptionRow; text: string }, string> {
  const row = OPTION_ROWS.find((candidate) => `--${candidate.flag}` === name)
  if (row === undefined) return err(explainUnknown(name))
  const text = value ?? (row.value === undefined ? 'true' : '')
  if (text !== '') return ok({ row, text })
  return err(`${name}: is missing its value; give ${name} ${row.value ?? 'true'}`)
}

/**
 * Tells whether npm took an option. `npm start --memory` passes --memory to npm, and the twin would
 * store data against the person's will. npm tells its scripts which options it took; `prefix` is an
 * option of npm's own and always set.
 */
function isTakenByNpm(row: OptionRow, environment: Environment): boolean {
  if (environment['npm_lifecycle_event'] !== 'start' || row.flag === 'prefix') return false
  return environment[`npm_config_${row.flag.replaceAll('-', '_')}`] !== undefined
}

function explainNpm(row: OptionRow): string {
  return `--${row.flag}: npm took this option; put two dashes before it: npm start -- ${formatOptionHead(row)}`
}

function explainUnknown(word: string): string {
  const suggestion = OPTION_ROWS.find((row) =>
    row.flag.startsWith(word.replace(/^-+/, '').slice(0, 3)),
  )
  const hint = suggestion === undefined ? '' : ` Did you mean --${suggestion.flag}?`
  return `${word} is not an option.${hint} See npm start -- --help.`
}
