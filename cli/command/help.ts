/** Formats the texts of `--help` from the table of commands. */
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { type Command, GLOBAL_OPTIONS, listGlobalOptions, type Option } from './command.ts'
import { formatUsage } from './read-command.ts'

/** The width of a terminal in columns that every row fits. */
const COLUMNS = 80

/** Returns the list of all commands, or of those whose name begins with `word`. */
export function formatOverview(
  commands: readonly Command[],
  version: string,
  word: string | undefined,
): string {
  const visible = commands.filter(
    ({ hidden, name }) =>
      hidden !== true && (word === undefined || name === word || name.startsWith(`${word} `)),
  )
  if (word !== undefined && visible.length > 0) {
    return `${definitions(visible.map(({ name, summary }) => [name, summary]))}\n`
  }
  return [
    `Skillgate ${version}: administer a gateway, call its tools, connect clients.`,
    '',
    'skillgate COMMAND [options]      skillgate COMMAND --help',
    '',
    definitions(visible.map(({ name, summary }) => [name, summary])),
    '',
    'Every command takes these; --jq, --csv and --utc where it prints such data:',
    formatOptions([...GLOBAL_OPTIONS, { flag: 'version', help: 'print the version' }]),
    '',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 4 not signed in, 130 interrupted.',
    '',
  ].join('\n')
}

/**
 * Returns the text of `skillgate COMMAND --help`. `nameProgram` puts the name of the program into a
 * text, before lines are broken.
 */
export function formatHelp(command: Command, nameProgram: (text: string) => string): string {
  const { arguments: rows, details, examples, options, prints, summary } = command
  return [
    `${summary}.`,
    '',
    nameProgram(formatUsage(command)),
    ...(details === undefined ? [] : ['', ...wrapWords(nameProgram(details), COLUMNS)]),
    ...(rows.length === 0 ? [] : ['', definitions(rows.map(({ help, name }) => [name, help]))]),
    ...(options.length === 0 ? [] : ['', formatOptions(options)]),
    '',
    ...wrapWords(`Prints ${prints}.`, COLUMNS),
    '',
    ...examples.flatMap((example) => [
      `  # ${example.says}`,
      `  ${nameProgram(formatExampleLine(example))}`,
    ]),
    '',
    ...wrapWords(
      `Also takes ${listGlobalOptions(command)
        .map(({ flag }) => `--${flag}`)
        .join(', ')}; skillgate --help says what they do.`,
      COLUMNS,
    ),
    '',
  ].join('\n')
}

/** Returns the line of an example, with the pipe that feeds stdin. */
export function formatExampleLine({ line, stdin }: Command['examples'][number]): string {
  return stdin === undefined ? line : `printf '%s' '${stdin}' | ${line}`
}

function formatOptions(options: readonly Option[]): string {
  return definitions(options.map((row) => [formatOptionHead(row), formatOptionHelp(row)]))
}

export function formatOptionHead({ flag, short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}`
}

export function formatOptionHelp({ choices, choicesRule, help, many }: Option): string {
  const values = choices === undefined || choicesRule !== undefined ? '' : `: ${choices.join(', ')}`
  return `${help}${values}${many === true ? ' (repeatable)' : ''}`
}

const HEAD_MAX = 24

function definitions(rows: readonly (readonly [head: string, text: string])[]): string {
  const width = Math.min(HEAD_MAX, Math.max(...rows.map(([head]) => head.length)))
  return rows
    .flatMap(([head, text]) => {
      const lines = wrapWords(text, COLUMNS - width - 4)
      const margin = ' '.repeat(width + 4)
      if (head.length > width) return [`  ${head}`, ...lines.map((line) => margin + line)]
      return lines.map((line, index) => (index === 0 ? `  ${head.padEnd(width)}  ` : margin) + line)
    })
    .join('\n')
}
