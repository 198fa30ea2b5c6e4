/**
 * Runs one command line and returns its exit code. This is the one place that catches a
 * CommandFault.
 */
import { VERSION } from '../../adapters/config/version.ts'
import { COMMANDS } from '../commands/commands.ts'
import { writeSpans } from '../terminal/colours.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { listFirstWords, putProgramName, withProgramName } from '../terminal/program-name.ts'
import type { Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import type { Invocation } from './command.ts'
import { formatHelp, formatOverview } from './help.ts'
import { loadJqFilter } from './jq.ts'
import { readCommand } from './read-command.ts'
import { shapeShell } from './shape-shell.ts'

const FIRST_WORDS = listFirstWords(COMMANDS)

/** All talk of a command names the program as this person types it. */
export async function runCommand(args: readonly string[], started: Shell): Promise<ExitCode> {
  const { err, program } = started
  const shell = { ...started, err: withProgramName(err, program, FIRST_WORDS) }
  const nameProgram = (text: string) => putProgramName(text, program, FIRST_WORDS)
  const read = readCommand(args, COMMANDS)
  const unread = shapeShell(shell, {
    isJson: asksForJson(args),
    hasNoColours: args.includes('--no-color'),
    hasStamps: false,
  })
  if (!read.ok) {
    return printFault(
      unread,
      toUsageFault(read.error.message, read.error.remedy),
      asksForJson(args),
    )
  }
  switch (read.value.kind) {
    case 'help':
      shell.out.write(formatHelp(read.value.command, nameProgram))
      return EXIT.ok
    case 'help-of-group':
      shell.out.write(nameProgram(formatOverview(COMMANDS, VERSION, read.value.word)))
      return EXIT.ok
    case 'run':
      return runInvocation(read.value.invocation, shell)
    default:
      return read.value satisfies never
  }
}

/** A command line with an error has no options yet; what follows `--` is for another program. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return own.some((word) => /^--(?:json|jq)(?:=|$)/.test(word))
}

async function runInvocation(
  invocation: Omit<Invocation, 'shell'>,
  shell: Shell,
): Promise<ExitCode> {
  const { command, given } = invocation
  const jq = given['jq']?.at(-1)
  const isJson = given['json'] !== undefined || jq !== undefined
  const shape = {
    isJson,
    hasNoColours: given['no-color'] !== undefined,
    hasStamps: given['utc'] !== undefined,
  }
  try {
    assertOneFormat(given)
    const filter = jq === undefined ? undefined : await loadJqFilter(jq)
    const shaped = shapeShell(shell, { ...shape, filter })
    const all = isJson ? { ...given, json: ['true'] } : given
    return await command.run({ ...invocation, given: all, shell: shaped }, COMMANDS)
  } catch (cause) {
    if (shell.signal.aborted) return EXIT.interrupted
    if (cause instanceof CommandFault) return printFault(shapeShell(shell, shape), cause, isJson)
    throw cause
  }
}

function assertOneFormat(given: Invocation['given']): void {
  const other = ['json', 'jq'].find((flag) => given[flag] !== undefined)
  if (given['csv'] === undefined || other === undefined) return
  throw toUsageFault(`--csv and --${other} cannot be combined.`, 'Give one of them.')
}

function printFault({ err }: Shell, fault: CommandFault, isJson: boolean): ExitCode {
  const { callId, code, details, exitCode, message, remedy, status } = fault
  if (isJson) {
    const error = { message, exitCode, code, status, callId, remedy, details }
    err.writeJson(`${JSON.stringify({ error })}\n`)
    return exitCode
  }
  writeSpans(err, [{ text: toOneLine(message), colour: 'red' }])
  err.write('\n')
  for (const detail of details) err.write(`  ${toOneLine(detail)}\n`)
  if (remedy !== undefined) err.write(`${toOneLine(remedy)}\n`)
  return exitCode
}
