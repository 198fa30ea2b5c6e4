/** Asks questions on a terminal, on stderr: stdout is for data. Loaded when it is needed. */
import { isCancel, select, text } from '@clack/prompts'
import { CommandFault, EXIT } from './exit-code.ts'
import type { Question } from './shell.ts'

/** Throws a fault with the exit code of an interruption if the person ends the questions. */
export async function askAll(
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<{ readonly [name: string]: string }> {
  const answers: [string, string][] = []
  for (const question of questions) {
    const answer = await ask(question, signal)
    if (isCancel(answer)) {
      throw new CommandFault('Nothing was written.', { exitCode: EXIT.interrupted })
    }
    answers.push([question.name, answer])
  }
  return Object.fromEntries(answers)
}

function ask({ check, choices, initial, message }: Question, signal: AbortSignal) {
  const common = { message, output: process.stderr, signal }
  if (choices !== undefined) {
    const options = choices.map((value) => ({ value, label: value }))
    return select({
      ...common,
      options,
      ...(initial === undefined ? {} : { initialValue: initial }),
    })
  }
  return text({
    ...common,
    ...(initial === undefined ? {} : { initialValue: initial }),
    validate: (value) => check?.(value ?? ''),
  })
}
