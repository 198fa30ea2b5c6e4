/** Runs a program, returns its exit code, and reports a bug. */
import { inspect } from 'node:util'
import { EXIT, type ExitCode } from './exit-code.ts'
import type { Shell } from './shell.ts'

/**
 * Treats anything that `work` throws as a bug and prints it with its stack. Node's own report would
 * print foreign text on the terminal without escapes.
 */
export async function runInShell(
  shell: Shell,
  work: (shell: Shell) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work(shell)
  } catch (cause) {
    shell.err.write(`${inspect(cause)}\n`)
    return EXIT.failed
  }
}
