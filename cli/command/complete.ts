/** Finds the words that may come next on a command line, from the table of commands. */
import {
  type Command,
  type CompletionSource,
  listGlobalOptions,
  NAME_WORDS_MAX,
  type Option,
} from './command.ts'

/** Fetches the values of a source, for the command line that is being typed. */
export type FetchValues = (source: CompletionSource) => Promise<readonly string[]>

/**
 * Returns the possible words at the cursor. `words` are the words after `skillgate`; the last one
 * is the beginning of the word at the cursor, and may be empty.
 */
export async function completeWords(
  words: readonly string[],
  commands: readonly Command[],
  fetchValues: FetchValues,
): Promise<readonly string[]> {
  const visible = commands.filter(({ hidden }) => hidden !== true)
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const candidates = await listCandidates({ before, typed, commands: visible, lookUp: fetchValues })
  return [...new Set(candidates)].filter((one) => one.startsWith(typed))
}

async function listCandidates(of: {
  readonly before: readonly string[]
  readonly typed: string
  readonly commands: readonly Command[]
  readonly lookUp: FetchValues
}): Promise<readonly string[]> {
  const { before, commands, lookUp: fetchValues, typed } = of
  const found = findCommand(before, commands)
  if (found === undefined) return listNextWords(before, commands)
  const { command, rest } = found
  const rows = [...command.options, ...listGlobalOptions(command)]
  const takesValue = rows.find((row) => row.value !== undefined && isOption(row, before.at(-1)))
  if (takesValue !== undefined) {
    return takesValue.choices ?? listValues(takesValue.completes, fetchValues)
  }
  if (typed.startsWith('-')) return rows.map(({ flag }) => `--${flag}`)
  const place = countPositions(rest, rows)
  const row = command.arguments[place] ?? command.arguments.findLast(({ many }) => many === true)
  return listValues(row?.completes, fetchValues)
}

function isOption({ flag, short }: Option, word: string | undefined): boolean {
  return word === `--${flag}` || (short !== undefined && word === `-${short}`)
}

async function listValues(
  source: CompletionSource | undefined,
  fetchValues: FetchValues,
): Promise<readonly string[]> {
  return source === undefined ? [] : fetchValues(source)
}

function findCommand(before: readonly string[], commands: readonly Command[]) {
  for (let count = NAME_WORDS_MAX; count > 0; count -= 1) {
    const name = before.slice(0, count).join(' ')
    const command = commands.find((one) => one.name === name && before.length >= count)
    if (command !== undefined) return { command, rest: before.slice(count) }
  }
  return undefined
}

/** Returns the words that may come next in the name of a command. */
function listNextWords(before: readonly string[], commands: readonly Command[]): readonly string[] {
  const prefix = before.map((word) => `${word} `).join('')
  return commands.flatMap(({ name }) => {
    const next = name.startsWith(prefix) ? name.split(' ')[before.length] : undefined
    return next === undefined ? [] : [next]
  })
}

function countPositions(rest: readonly string[], rows: readonly Option[]): number {
  return rest.filter((word, index) => {
    const isValue = rows.some((row) => row.value !== undefined && isOption(row, rest[index - 1]))
    return !word.startsWith('-') && !isValue
  }).length
}
