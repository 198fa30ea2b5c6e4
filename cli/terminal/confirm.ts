/** Asks before something is deleted, and reads secrets without showing them. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { encodingFault } from '../../core/json/encoding-fault.ts'
import { type Invocation, isOn, type Option, option } from '../command/command.ts'
import { CommandFault, usageFault } from '../command/exit-code.ts'

export const YES: Option = { flag: 'yes', help: 'do not ask' }

/** False: the person said no. Without a terminal a deletion needs `--yes`. */
export async function confirmed(call: Invocation, question: string): Promise<boolean> {
  if (isOn(call, 'yes')) return true
  const { shell } = call
  if (!shell.input.isTTY) {
    throw usageFault(`${question} There is no terminal to ask on.`, 'Add --yes to do it.')
  }
  const answer = await shell.input.ask(`${question} [y/N] `)
  if (/^y(es)?$/i.test(answer.trim())) return true
  shell.err.write('Nothing was changed.\n')
  return false
}

export const SECRET_OPTIONS: readonly Option[] = [
  { flag: 'from-env', value: 'NAME', help: 'take the value from this environment variable' },
  { flag: 'from-file', value: 'FILE', help: 'take the value from this file', completes: 'files' },
]

/**
 * From `--from-env`, `--from-file`, a hidden prompt, or stdin. Never from an argument, which the
 * list of processes and the shell's history show. One line end at its end is not part of it.
 */
export async function readSecret(call: Invocation, question: string): Promise<string> {
  const value = (await secretText(call, question)).replace(/\r?\n$/, '')
  if (value === '')
    throw usageFault(`${question}: is empty.`, 'Type it, pipe it in, or name its source.')
  return value
}

async function secretText(call: Invocation, question: string): Promise<string> {
  const { cwd, env, input } = call.shell
  const name = option(call, 'from-env')
  if (name !== undefined) return env[name] ?? ''
  const file = option(call, 'from-file')
  if (file !== undefined) return readText(resolve(cwd, file))
  return input.isTTY ? input.ask(`${question}: `, true) : input.readAll()
}

export function readText(path: string): string {
  try {
    return textOf(readFileSync(path), path)
  } catch (cause) {
    if (cause instanceof CommandFault) throw cause
    throw usageFault(`${path} cannot be read${codeOf(cause)}.`, 'Name a file that you can read.')
  }
}

/** Bytes of a file or of stdin as text. Bytes that are not UTF-8 would be replaced without a word. */
export function textOf(bytes: Uint8Array, named: string): string {
  const fault = encodingFault(bytes)
  if (fault !== undefined) throw usageFault(`${named} ${fault}.`, 'Save it as UTF-8.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // A fatal decoder has one error and no position, so the cause adds nothing.
    throw usageFault(`${named} is not in UTF-8.`, 'Save it as UTF-8.')
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
}
