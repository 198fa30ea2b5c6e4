/** Tells whether a person wants the help of a script, and prints it. */

/**
 * Prints `usage` and ends the process if the arguments contain --help or -h. Arguments after `--`
 * belong to another program.
 */
export function answerHelp(usage: string): void {
  if (!isHelpWanted()) return
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

/** Tells whether the arguments before `--` contain --help or -h. */
export function isHelpWanted(): boolean {
  const args = process.argv.slice(2)
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return own.includes('--help') || own.includes('-h')
}
