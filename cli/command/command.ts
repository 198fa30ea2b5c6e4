/**
 * A row of the table of commands. Parsing, `--help`, completion scripts, docs/cli.md and the tests
 * of examples are made from these rows, so they cannot disagree.
 */

import type { ExitCode } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'

export type Argument = {
  readonly name: string
  readonly help: string
  readonly optional?: boolean
  /** Takes all further words; only the last argument of a command may. */
  readonly many?: boolean
  readonly completes?: CompletionSource
}

export type Option = {
  /** Without dashes. */
  readonly flag: string
  readonly short?: string
  /** Placeholder of its value; undefined for a switch. */
  readonly value?: string
  readonly help: string
  /** May be given several times. */
  readonly many?: boolean
  /** The only values that it takes. */
  readonly choices?: readonly string[]
  readonly completes?: CompletionSource
}

/** Values that `skillgate __complete` looks up while a person types. */
export type CompletionSource =
  | 'clients'
  | 'commands'
  | 'files'
  | 'profiles'
  | 'shells'
  | 'skills'
  | 'tools'
  | 'users'

export type Example = {
  readonly says: string
  /** As a person types it, without the pipe before it. */
  readonly line: string
  /** Text that the example pipes in; documents show it as `printf '%s' '…' |`. */
  readonly stdin?: string
  /** Why the test that runs every example leaves this one out. */
  readonly untested?: string
}

/** Words of a name: `secrets shared ls`. */
export const NAME_WORDS_MAX = 3

export type Command = {
  /** {@link NAME_WORDS_MAX} words at most. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly arguments: readonly Argument[]
  readonly options: readonly Option[]
  readonly examples: readonly Example[]
  /** What goes to stdout. */
  readonly prints: string
  /** Words after `--` belong to the program that the command starts. */
  readonly passesOn?: boolean
  /** Not in help, documents or completion. */
  readonly hidden?: boolean
  run(call: Invocation, commands: readonly Command[]): Promise<ExitCode>
}

export type Invocation = {
  readonly command: Command
  readonly words: { readonly [argument: string]: readonly string[] }
  readonly given: { readonly [flag: string]: readonly string[] }
  /** Words after `--`. */
  readonly rest: readonly string[]
  readonly shell: Shell
}

/** Taken by every command. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  { flag: 'json', help: 'print JSON, for programs' },
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

/** The word of an argument that is not optional. */
export function argument({ words }: Invocation, name: string): string {
  return words[name]?.[0] ?? ''
}

/** The last value wins. */
export function option({ given }: Invocation, flag: string): string | undefined {
  return given[flag]?.at(-1)
}

export function options({ given }: Invocation, flag: string): readonly string[] {
  return given[flag] ?? []
}

export function isOn({ given }: Invocation, flag: string): boolean {
  return given[flag] !== undefined
}
