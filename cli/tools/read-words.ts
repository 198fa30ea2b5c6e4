/**
 * Reads words such as `name=value`, which `call`, `skills test` and `api` share: `name=value`,
 * `name:=JSON`, `name=@file` and `name=@-` for stdin. What `value` becomes is for the caller: a
 * schema says it, or readLoose does.
 */
import { resolve } from 'node:path'
import type { Invocation } from '../command/command.ts'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readJson } from '../terminal/read-json.ts'
import { readText } from '../terminal/read-text.ts'
import type { Shell } from '../terminal/shell.ts'

/** The forms, for the help of commands. */
export const WORD_HELP = 'name=value, name:=JSON, name=@FILE or name:=@FILE; @- is stdin'

export type NamedWord = {
  readonly name: string
  readonly text: string
  /** Written with `:=`: the text is JSON and nothing else. */
  readonly isJson: boolean
  readonly isFile: boolean
}

/** Throws a usage fault for a word of another form, with `remedy`. */
export async function readWords(
  { shell }: Pick<Invocation, 'shell'>,
  words: readonly string[],
  remedy: string,
): Promise<readonly NamedWord[]> {
  const named: NamedWord[] = []
  let hasStdin = false
  for (const word of words) {
    const [, name = '', raw = '', text = ''] = /^([^=]+?)(:?)=(.*)$/s.exec(word) ?? []
    if (name === '') throw toUsageFault(`${word} is not name=value.`, remedy)
    const isStdin = text === '@-'
    if (isStdin && hasStdin) throw toUsageFault(`${name}: stdin is read once.`, 'Write one @-.')
    hasStdin ||= isStdin
    const isFile = text.startsWith('@')
    const content = isFile ? await readSource(shell, name, text.slice(1)) : text
    named.push({ name, text: content, isJson: raw === ':', isFile })
  }
  return named
}

async function readSource(shell: Shell, name: string, file: string): Promise<string> {
  if (file === '-') return shell.input.readAll()
  if (file !== '') return readText(resolve(shell.cwd, file))
  throw toUsageFault(
    `${name}: @ names no file.`,
    `Write ${name}=@FILE, or ${name}:='"@"' for the text.`,
  )
}

/** The value of a word with `:=`. Throws a usage fault, with `remedy`, if it is not JSON. */
export function readJsonWord({ name, text }: NamedWord, remedy: string): unknown {
  const value = readJson(text, name)
  if (value !== undefined) return value
  throw toUsageFault(`${name}: ${text} is not JSON.`, remedy)
}

/** Reads a value without a type: JSON if the text is JSON, else the text. */
export function readLoose(name: string, text: string): unknown {
  const value = readJson(text, name)
  return value === undefined ? text : value
}
