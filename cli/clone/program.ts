/**
 * The programs that only a clone of the repository has, beside the commands of the published
 * package. A program takes the words that a person types after `npm run …` or `skillgate … --`, and
 * returns an exit code. Commands load the folder cli/clone by `import()`.
 */
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'

export type Program = {
  readonly usage: string
  run(words: readonly string[], shell: Shell): Promise<ExitCode>
}

/** Runs the program; for `--help` prints its usage instead. */
export async function runProgram(
  { run, usage }: Program,
  words: readonly string[],
  shell: Shell,
): Promise<ExitCode> {
  if (!asksForHelp(words)) return run(words, shell)
  shell.out.write(`${usage}\n`)
  return EXIT.ok
}

/** Tells whether `--help` is given. Words after `--` belong to another program. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}

/** Returns the message of a thrown value. */
export function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
