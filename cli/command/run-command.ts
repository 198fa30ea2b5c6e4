/**
 * Runs one command line and returns its exit code. This is the one place that catches a
 * CommandFault.
 */
import { VERSION } from '../../adapters/config/version.ts'
import { COMMANDS } from '../commands/commands.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { listFirstWords, putProgramName, withProgramName } from '../terminal/program-name.ts'
import type { Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import { formatHelp, formatOverview } from './help.ts'
import { readCommand } from './read-command.ts'

const FIRST_WORDS = listFirstWords(COMMANDS)

/** All talk of a command names the program as this person types it. */
export async function runCommand(args: readonly string[], started: Shell): Promise<ExitCode> {
  const { err, program } = started
  const shell = { ...started, err: withProgramName(err, program, FIRST_WORDS) }
  const nameProgram = (text: string) => putProgramName(text, program, FIRST_WORDS)
  const read = readCommand(args, COMMANDS)
  const printFailure = (fault: CommandFault) =>
    printFault(shell, fault, args.includes('--no-color'))
  if (!read.ok) return printFailure(toUsageFault(read.error.message, read.error.remedy))
  switch (read.value.kind) {
    case 'help':
      shell.out.write(formatHelp(read.value.command, nameProgram))
      return EXIT.ok
    case 'help-of-group':
      shell.out.write(nameProgram(formatOverview(COMMANDS, VERSION, read.value.word)))
      return EXIT.ok
    case 'run':
      break
    default:
      return read.value satisfies never
  }
  const { invocation } = read.value
  try {
    return await invocation.command.run({ ...invocation, shell }, COMMANDS)
  } catch (cause) {
    if (shell.signal.aborted) return EXIT.interrupted
    if (cause instanceof CommandFault) return printFailure(cause)
    throw cause
  }
}

function printFault(shell: Shell, fault: CommandFault, noColor: boolean): ExitCode {
  const { env, err } = shell
  const colour = err.isTTY && !noColor && !env['NO_COLOR']
  if (colour) err.control('red')
  err.write(toOneLine(fault.message))
  if (colour) err.control('usual-colour')
  err.write('\n')
  for (const detail of fault.details) err.write(`  ${toOneLine(detail)}\n`)
  if (fault.remedy !== undefined) err.write(`${toOneLine(fault.remedy)}\n`)
  return fault.exitCode
}
