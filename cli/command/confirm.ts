/** Asks before something is deleted, and reads secrets without showing them. */
import { resolve } from 'node:path'
import { toUsageFault } from '../terminal/exit-code.ts'
import { readText } from '../terminal/read-text.ts'
import { getOption, type Invocation, isOn, type Option } from './command.ts'

export const YES: Option = { flag: 'yes', help: 'do not ask' }

/**
 * Returns true if the person agrees. Without a terminal, throws a usage fault unless `--yes` is
 * given.
 */
export async function askConfirmation(call: Invocation, question: string): Promise<boolean> {
  if (isOn(call, 'yes')) return true
  const { shell } = call
  if (!shell.input.isTTY) {
    throw toUsageFault(`${question} There is no terminal to ask on.`, 'Add --yes to do it.')
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
 * Reads a secret from `--from-env`, `--from-file`, a hidden prompt or stdin. Never reads it from an
 * argument, which the list of processes and the shell's history would show. Removes one line end at
 * the end. Throws a usage fault for an empty secret.
 */
export async function readSecret(call: Invocation, question: string): Promise<string> {
  const value = (await readSecretText(call, question)).replace(/\r?\n$/, '')
  if (value === '')
    throw toUsageFault(`${question}: is empty.`, 'Type it, pipe it in, or name its source.')
  return value
}

async function readSecretText(call: Invocation, question: string): Promise<string> {
  const { cwd, env, input } = call.shell
  const name = getOption(call, 'from-env')
  if (name !== undefined) return env[name] ?? ''
  const file = getOption(call, 'from-file')
  if (file !== undefined) return readText(resolve(cwd, file))
  return input.isTTY ? input.ask(`${question}: `, true) : input.readAll()
}
