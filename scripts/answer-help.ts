/** Whether a person asked a script for its help, and the answer. */

/** Prints `usage` and ends the process if its arguments ask for help; those after `--` are not ours. */
export function answerHelp(usage: string): void {
  if (!asksForHelp()) return
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

export function asksForHelp(): boolean {
  const args = process.argv.slice(2)
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}
