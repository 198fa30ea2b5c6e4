/**
 * Finds the command of a command line and reads its arguments and options. An error has a line
 * about the trouble and a line about the remedy.
 */
import { parseArgs } from 'node:util'
import { err, ok, type Result } from '../../core/errors.ts'
import { findNearest } from '../../core/settings/nearest.ts'
import {
  type Command,
  GLOBAL_OPTIONS,
  type Invocation,
  listGlobalOptions,
  NAME_WORDS_MAX,
  type Option,
} from './command.ts'

export type UsageError = { readonly message: string; readonly remedy: string }

export type ReadCommand =
  | { readonly kind: 'run'; readonly invocation: Omit<Invocation, 'shell'> }
  | { readonly kind: 'help'; readonly command: Command }
  /** Help of all commands, or of those whose name begins with `word`. */
  | { readonly kind: 'help-of-group'; readonly word: string | undefined }

/** Returns what the command line wants: to run a command, or to show help. */
export function readCommand(
  args: readonly string[],
  commands: readonly Command[],
): Result<ReadCommand, UsageError> {
  const command = findCommand(args, commands)
  if (command === undefined) return readHelpOrError(args, commands)
  const read = readWords(args, command)
  if (!read.ok) return read
  if (read.value.given['help'] !== undefined) return ok({ kind: 'help', command })
  const { positionals, ...others } = read.value
  const words = assignWords(positionals.slice(command.name.split(' ').length), command)
  if (!words.ok) return words
  return ok({ kind: 'run', invocation: { command, words: words.value, ...others } })
}

/** Finds the command with the longest name: `users show` before a command `users`. */
function findCommand(args: readonly string[], commands: readonly Command[]): Command | undefined {
  const words = listLeadingWords(args)
  for (let count = NAME_WORDS_MAX; count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command !== undefined) return command
  }
  return undefined
}

/** Returns the words before the first option that is not a global one. */
function listLeadingWords(args: readonly string[]): readonly string[] {
  const tokens = tokenize(args, GLOBAL_OPTIONS)
  return tokens.flatMap(({ index, kind }) => (kind === 'positional' ? [args[index] ?? ''] : []))
}

function readHelpOrError(
  args: readonly string[],
  commands: readonly Command[],
): Result<ReadCommand, UsageError> {
  const words = listLeadingWords(args)
  const [word, second] = words
  if (word === undefined) {
    const wrong = args.find((arg) => arg.startsWith('-') && !isGlobal(arg))
    if (wrong === undefined) return ok({ kind: 'help-of-group', word: undefined })
    return err({ message: `${wrong} is not an option.`, remedy: 'See skillgate --help.' })
  }
  if (word === 'help') {
    return ok({ kind: 'help-of-group', word: second === undefined ? second : joinRest(words) })
  }
  // `secrets shared` begins names of commands and `secrets shard` does not, so `shard` is the wrong
  // word.
  const depth = words.findIndex((_, index) => !isGroup(words.slice(0, index + 1), commands))
  if (depth === -1) return ok({ kind: 'help-of-group', word: words.join(' ') })
  const typed = words.slice(0, depth + 1).join(' ')
  const suggestion = findNearest(
    typed,
    commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name),
  )
  const remedy = suggestion === undefined ? '' : `Did you mean skillgate ${suggestion}? `
  const group = words.slice(0, depth).map((one) => `${one} `)
  return err({
    message: `${typed} is not a command.`,
    remedy: `${remedy}See skillgate ${group.join('')}--help.`,
  })
}

function joinRest([, ...words]: readonly string[]): string {
  return words.join(' ')
}

function isGroup(words: readonly string[], commands: readonly Command[]): boolean {
  return commands.some(({ name }) => name.startsWith(`${words.join(' ')} `))
}

function isGlobal(arg: string): boolean {
  const flag = arg.replace(/=.*$/s, '')
  return GLOBAL_OPTIONS.some((one) => flag === `--${one.flag}` || flag === `-${one.short}`)
}

type Words = {
  readonly positionals: readonly string[]
  readonly given: { readonly [flag: string]: readonly string[] }
  readonly rest: readonly string[]
}

function readWords(args: readonly string[], command: Command): Result<Words, UsageError> {
  const rows = [...command.options, ...listGlobalOptions(command)]
  const end = command.passesOn === true ? args.indexOf('--') : -1
  const own = end === -1 ? args : args.slice(0, end)
  const joinRest = end === -1 ? [] : args.slice(end + 1)
  const tokens = tokenize(own, rows)
  const given: { [flag: string]: string[] } = {}
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const row = rows.find((one) => token.rawName === `--${one.flag}` || isShort(token.rawName, one))
    if (row === undefined) return err(toUnknownOptionError(token.rawName, rows, command))
    const value = readValue(row, token)
    if (!value.ok) return value
    given[row.flag] = [...(given[row.flag] ?? []), value.value]
  }
  const words = tokens.filter(({ kind }) => kind === 'positional')
  return ok({ positionals: words.map(({ index }) => own[index] ?? ''), given, rest: joinRest })
}

/**
 * Splits the words with parseArgs. It would read `-2.5` and an id such as `-Pq3…` as several short
 * options, so these words are prefixed meanwhile.
 */
function tokenize(args: readonly string[], rows: readonly Option[]) {
  const hidden = args.map((word) => (isDashed(word) ? `${DASH_PREFIX}${word}` : word))
  const read = { args: hidden, options: toParseOptions(rows), strict: false, tokens: true } as const
  return parseArgs(read).tokens.map((token) =>
    token.kind === 'option' && token.value?.startsWith(DASH_PREFIX) === true
      ? { ...token, value: token.value.slice(DASH_PREFIX.length) }
      : token,
  )
}

/** A prefix that no argument can contain, because this character ends an argument. */
const DASH_PREFIX = '\0'

/**
 * Tells whether a word is a value that begins with a dash: a number below 0, or an id (one id in 64
 * begins with a dash). No option begins with a digit, and no option with one dash is that long.
 */
function isDashed(word: string | undefined): boolean {
  return word !== undefined && /^-(\.?\d|[A-Za-z_][\w-]{6,}$)/.test(word)
}

function isShort(written: string, { short }: Option): boolean {
  return short !== undefined && written === `-${short}`
}

function toParseOptions(rows: readonly Option[]) {
  return Object.fromEntries(
    rows.map(({ flag, short, value }) => [
      flag,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  )
}

function toUnknownOptionError(
  written: string,
  rows: readonly Option[],
  command: Command,
): UsageError {
  if (isGlobal(written)) {
    const remedy =
      command.data === 'none' ? `Leave ${written} out.` : 'Use --json, or --jq with a filter.'
    return { message: `skillgate ${command.name} prints no data for ${written}.`, remedy }
  }
  const suggestion = findNearest(
    written.replace(/^-+/, ''),
    rows.map(({ flag }) => flag),
  )
  const hint = suggestion === undefined ? '' : `Did you mean --${suggestion}? `
  const after =
    command.passesOn === true ? `After -- it may be: skillgate ${command.name} -- ${written}. ` : ''
  return {
    message: `${written} is not an option of skillgate ${command.name}.`,
    remedy: `${hint}${after}See skillgate ${command.name} --help.`,
  }
}

function readValue(
  row: Option,
  {
    inlineValue,
    rawName,
    value,
  }: { inlineValue: boolean | undefined; rawName: string; value: string | undefined },
): Result<string, UsageError> {
  if (row.value === undefined) {
    if (value === undefined) return ok('true')
    return err({ message: `${rawName} takes no value.`, remedy: `Write ${rawName} alone.` })
  }
  // In `--limit --json` the option is no value; `--limit=--json` gives that value.
  const isOption =
    inlineValue !== true && value !== undefined && /^-./.test(value) && !isDashed(value)
  if (value === undefined || value === '' || isOption) {
    return err({ message: `${rawName} has no value.`, remedy: `Write ${rawName} ${row.value}.` })
  }
  if (row.choices !== undefined && !row.choices.includes(value)) {
    return err({
      message: `${rawName}: ${value} is not one of its values.`,
      remedy: `Write ${row.choicesRule ?? `one of ${row.choices.join(', ')}`}.`,
    })
  }
  return ok(value)
}

function assignWords(
  positionals: readonly string[],
  command: Command,
): Result<Invocation['words'], UsageError> {
  const words: { [name: string]: readonly string[] } = {}
  const remedy = `Usage: ${formatUsage(command)}`
  let remaining = positionals
  for (const row of command.arguments) {
    const values = row.many === true ? remaining : remaining.slice(0, 1)
    if (values.length === 0 && row.optional !== true) {
      return err({ message: `${row.name} is missing: ${row.help}.`, remedy })
    }
    if (values.includes('') && command.hidden !== true) {
      const message = `${row.name} is empty. Is a variable of the line not set?`
      return err({ message, remedy })
    }
    words[row.name] = values
    remaining = remaining.slice(values.length)
  }
  const [extra] = remaining
  if (extra === undefined) return ok(words)
  return err({ message: `${extra} is one argument too many.`, remedy })
}

/** Returns the usage line: `skillgate users show UID [options]`. */
export function formatUsage(command: Command): string {
  const words = command.arguments.map((row) => {
    const word = `${row.name}${row.many === true ? '…' : ''}`
    return row.optional === true ? `[${word}]` : word
  })
  const options = command.options.length === 0 ? [] : ['[options]']
  const joinRest = command.passesOn === true ? ['[-- …]'] : []
  return ['skillgate', command.name, ...words, ...options, ...joinRest].join(' ')
}
