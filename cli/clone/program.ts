/**
 * What a clone can do beside the commands of the published package: a program takes words, as a person types them
 * after `npm run …` or `skillgate … --`, and answers an exit code. Commands load this room by `import()`.
 */
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'

export type Program = {
  readonly usage: string
  run(words: readonly string[], shell: Shell): Promise<ExitCode>
}

/** Answers `--help` itself. */
export async function runProgram(
  { run, usage }: Program,
  words: readonly string[],
  shell: Shell,
): Promise<ExitCode> {
  if (!asksForHelp(words)) return run(words, shell)
  shell.out.write(`${usage}\n`)
  return EXIT.ok
}

/** Words after `--` belong to another program. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const own = end === -1 ? words : words.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}

export function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
