/** What may follow the words of a command line, from the table; values come from a look-up. */
import {
  type Command,
  type CompletionSource,
  GLOBAL_OPTIONS,
  NAME_WORDS_MAX,
  type Option,
} from './command.ts'

/** Values of a source, for the command line that is being typed. */
export type LookUp = (source: CompletionSource) => Promise<readonly string[]>

/** `words` after `skillgate`; the last one is what the person has typed of it, perhaps nothing. */
export async function complete(
  words: readonly string[],
  commands: readonly Command[],
  lookUp: LookUp,
): Promise<readonly string[]> {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const candidates = await candidatesOf({ before, typed, commands: shown, lookUp })
  return [...new Set(candidates)].filter((one) => one.startsWith(typed))
}

async function candidatesOf(of: {
  readonly before: readonly string[]
  readonly typed: string
  readonly commands: readonly Command[]
  readonly lookUp: LookUp
}): Promise<readonly string[]> {
  const { before, commands, lookUp, typed } = of
  const found = commandOf(before, commands)
  if (found === undefined) return nextWords(before, commands)
  const { command, rest } = found
  const rows = [...command.options, ...GLOBAL_OPTIONS]
  const takesValue = rows.find((row) => row.value !== undefined && isOption(row, before.at(-1)))
  if (takesValue !== undefined) {
    return takesValue.choices ?? valuesOf(takesValue.completes, lookUp)
  }
  if (typed.startsWith('-')) return rows.map(({ flag }) => `--${flag}`)
  const place = positionsIn(rest, rows)
  const row = command.arguments[place] ?? command.arguments.findLast(({ many }) => many === true)
  return valuesOf(row?.completes, lookUp)
}

function isOption({ flag, short }: Option, word: string | undefined): boolean {
  return word === `--${flag}` || (short !== undefined && word === `-${short}`)
}

async function valuesOf(
  source: CompletionSource | undefined,
  lookUp: LookUp,
): Promise<readonly string[]> {
  return source === undefined ? [] : lookUp(source)
}

function commandOf(before: readonly string[], commands: readonly Command[]) {
  for (let count = NAME_WORDS_MAX; count > 0; count -= 1) {
    const name = before.slice(0, count).join(' ')
    const command = commands.find((one) => one.name === name && before.length >= count)
    if (command !== undefined) return { command, rest: before.slice(count) }
  }
  return undefined
}

/** The word after those that begin names of commands. */
function nextWords(before: readonly string[], commands: readonly Command[]): readonly string[] {
  const prefix = before.map((word) => `${word} `).join('')
  return commands.flatMap(({ name }) => {
    const next = name.startsWith(prefix) ? name.split(' ')[before.length] : undefined
    return next === undefined ? [] : [next]
  })
}

function positionsIn(rest: readonly string[], rows: readonly Option[]): number {
  return rest.filter((word, index) => {
    const isValue = rows.some((row) => row.value !== undefined && isOption(row, rest[index - 1]))
    return !word.startsWith('-') && !isValue
  }).length
}
