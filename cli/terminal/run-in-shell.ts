/** Answers the exit code of a program, and reports a bug of ours. */
import { inspect } from 'node:util'
import { EXIT, type ExitCode } from './exit-code.ts'
import type { Shell } from './shell.ts'

/**
 * What is thrown here is a bug. It is shown with its stack, but not by Node, which would print text of others on the
 * terminal as it is.
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
