/**
 * A row of the table of commands. Argument parsing, `--help`, completion scripts, docs/cli.md and
 * the tests of the examples all use these rows, so they cannot disagree.
 */

import type { ExitCode } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'

export type Argument = {
  readonly name: string
  readonly help: string
  readonly optional?: boolean
  /** True if the argument takes all further words; only the last argument of a command may. */
  readonly many?: boolean
  readonly completes?: CompletionSource
}

export type Option = {
  /** The name without dashes. */
  readonly flag: string
  readonly short?: string
  /** The placeholder of the value; undefined for a switch. */
  readonly value?: string
  readonly help: string
  /** True if the option may be given several times. */
  readonly many?: boolean
  /** The only values that the option accepts. */
  readonly choices?: readonly string[]
  /** Says in short which values those are, if they are too many to list. `help` says it, too. */
  readonly choicesRule?: string
  readonly completes?: CompletionSource
}

/** The kinds of values that `skillgate __complete` fetches while a person types. */
export type CompletionSource =
  | 'clients'
  | 'commands'
  | 'files'
  | 'guides'
  | 'profiles'
  | 'shells'
  | 'skills'
  | 'stages'
  | 'tools'
  | 'upstreams'
  | 'users'

export type Example = {
  readonly says: string
  /** The line as a person types it, without the pipe before it. */
  readonly line: string
  /** Text that the example pipes in; documents show it as `printf '%s' '…' |`. */
  readonly stdin?: string
  /** The reason why the test of all examples skips this one. */
  readonly untested?: string
}

/** Most words in the name of a command: `secrets shared ls`. */
export const NAME_WORDS_MAX = 3

export type Command = {
  /** The name as a person types it, of at most {@link NAME_WORDS_MAX} words. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly arguments: readonly Argument[]
  readonly options: readonly Option[]
  readonly examples: readonly Example[]
  /** What the command prints to stdout. */
  readonly prints: string
  readonly data: DataKind
  /** True if words after `--` go to the program that the command starts. */
  readonly passesOn?: boolean
  /** True if help, documents and completion leave the command out. */
  readonly hidden?: boolean
  run(call: Invocation, commands: readonly Command[]): Promise<ExitCode>
}

/**
 * What a command prints for programs:
 * - `rows`: what `printRows` prints.
 * - `record`: what `printFields` prints.
 * - `document`: other data, of which `--json` makes JSON.
 * - `none`: nothing, or text that is not JSON, such as a script.
 */
export type DataKind = 'rows' | 'record' | 'document' | 'none'

export type Invocation = {
  readonly command: Command
  readonly words: { readonly [getArgument: string]: readonly string[] }
  readonly given: { readonly [flag: string]: readonly string[] }
  /** The words after `--`. */
  readonly rest: readonly string[]
  readonly shell: Shell
}

/** The options that commands take beside their own. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  { flag: 'json', help: 'print JSON, for programs; also failures and notes, on stderr' },
  { flag: 'jq', value: 'FILTER', help: 'print what this jq filter makes of the JSON' },
  { flag: 'csv', help: 'print CSV, for spreadsheets' },
  { flag: 'utc', help: 'print times as 2026-11-22 21:42Z, as in a pipe' },
  {
    flag: 'profile',
    value: 'NAME',
    help: 'the gateway and credentials of this profile',
    completes: 'profiles',
  },
  { flag: 'verbose', help: 'show each request and its answer on stderr, without credentials' },
  { flag: 'no-color', help: 'no colours; NO_COLOR=1 says the same' },
  { flag: 'help', short: 'h', help: 'print this' },
]

/** The options that not every command takes. */
const TAKEN_BY: { readonly [flag: string]: readonly DataKind[] } = {
  jq: ['rows', 'record', 'document'],
  csv: ['rows', 'record'],
  utc: ['rows', 'record', 'document'],
}

/** Returns the global options that a command takes. */
export function listGlobalOptions({ data }: Pick<Command, 'data'>): readonly Option[] {
  return GLOBAL_OPTIONS.filter(({ flag }) => TAKEN_BY[flag]?.includes(data) ?? true)
}

/** Returns the word of an argument that is not optional. */
export function getArgument({ words }: Invocation, name: string): string {
  return words[name]?.[0] ?? ''
}

/** Returns the value of an option, the last one if it is given several times. */
export function getOption({ given }: Invocation, flag: string): string | undefined {
  return given[flag]?.at(-1)
}

/** Returns all values of an option that may be given several times. */
export function getOptions({ given }: Invocation, flag: string): readonly string[] {
  return given[flag] ?? []
}

/** Tells whether a switch is given. */
export function isOn({ given }: Invocation, flag: string): boolean {
  return given[flag] !== undefined
}
