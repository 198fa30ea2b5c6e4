/**
 * The commands `users batch` and `credits batch`: send NDJSON of any length in parts. If a part
 * gets no response the command ends with the line to continue from. Sending lines again is safe:
 * the gateway finds users by uid and applies a grantId once.
 */
import { resolve } from 'node:path'
import { type Command, getArgument, type Invocation, isOn } from '../command/command.ts'
import { printLine } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
} from '../gateway/admin-client.ts'
import { printWrapped } from '../skills/print-outcomes.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { readText } from '../terminal/read-text.ts'
import { printNote } from '../terminal/shell.ts'

/** Most lines of one request, so that it ends well within the gateway's limit of 20 s. */
export const PART_LINES = 500
/** Most UTF-8 bytes of one request; the gateway accepts 3 MB. */
export const PART_BYTES_MAX = 2_500_000

type Line = { readonly number: number; readonly text: string }

function toBatchCommand(path: string) {
  return async (call: Invocation): Promise<ExitCode> => {
    const lines = await readLines(call)
    const admin = await openAdminClient(call)
    const counts = { done: 0, refused: 0 }
    let remaining = lines
    while (remaining.length > 0) {
      showProgress(call.shell, `${lines.length - remaining.length} of ${lines.length} lines`)
      const sent = takePart(remaining)
      const results = await sendPart(admin, path, sent)
      endProgress(call.shell)
      for (const [index, result] of results.entries()) {
        const isRefused = Number(result['status']) >= 400
        counts[isRefused ? 'refused' : 'done'] += 1
        printResult(call, { ...result, line: sent[index]?.number })
      }
      remaining = remaining.slice(results.length)
    }
    printNote(call.shell, `${counts.done} done, ${counts.refused} refused.`)
    return counts.refused === 0 ? EXIT.ok : EXIT.failed
  }
}

async function readLines(call: Invocation): Promise<readonly Line[]> {
  const file = getArgument(call, 'FILE')
  const { cwd, input } = call.shell
  const text = file === '-' ? await input.readAll() : readText(resolve(cwd, file))
  const lines = text
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== '')
  if (lines.length > 0) return lines
  throw toUsageFault(`${file} has no lines.`, 'Write one JSON object in each line.')
}

function takePart(lines: readonly Line[]): readonly Line[] {
  let bytes = 0
  const end = lines.slice(0, PART_LINES).findIndex(({ text }) => {
    bytes += Buffer.byteLength(text) + 1
    return bytes > PART_BYTES_MAX
  })
  // A line that is too long by itself is sent alone, and the gateway refuses it.
  return lines.slice(0, end === -1 ? PART_LINES : Math.max(1, end))
}

/**
 * Returns the results of the lines that the gateway processed, which are the first ones of the
 * part. Throws a CommandFault if it processed none.
 */
async function sendPart(
  admin: AdminClient,
  path: string,
  lines: readonly Line[],
): Promise<readonly Fields[]> {
  const body = `${lines.map(({ text }) => text).join('\n')}\n`
  try {
    const { results } = await admin.send({ method: 'POST', path, body })
    if (Array.isArray(results) && results.length > 0) return results.map(toFields)
    throw new CommandFault('The gateway began none of the lines.')
  } catch (cause) {
    if (!(cause instanceof CommandFault)) throw cause
    const { exitCode, message } = cause
    const remedy = `Lines from ${lines[0]?.number} on are not done, or not known to be: send the same file again.`
    throw new CommandFault(message, { exitCode, remedy })
  }
}

function printResult(call: Invocation, result: Fields): void {
  if (isOn(call, 'json')) {
    printLine(call, result)
    return
  }
  const { code, detail, granted, grantId, line, status, uid, warnings } = result
  const { out } = call.shell
  const words = [
    ...[uid, grantId, code].filter((word) => word !== undefined),
    ...(granted === false ? ['counted before'] : []),
  ]
  printWrapped(out, `${line}  ${status}  ${words.join(' ')}`)
  if (code !== undefined) for (const fault of splitFaults(detail)) printWrapped(out, fault, 2)
  if (Array.isArray(warnings)) for (const one of warnings) printWrapped(out, `warning: ${one}`, 2)
}

/** The detail of a line joins its errors, each of which begins with a pointer. */
function splitFaults(detail: unknown): readonly string[] {
  return String(detail).split(/; (?=\/)/)
}

const FILE = {
  name: 'FILE',
  help: 'a file with one JSON object in each line, or - for stdin',
  completes: 'files',
} as const

export const USER_BATCH_COMMAND: Command = {
  name: 'users batch',
  summary: 'Make many users',
  details:
    'Each line is what POST users takes, with its uid: {"uid":"bob","username":"Bob"}. A refused line keeps no other out, and a file that is sent again makes nobody twice.',
  arguments: [FILE],
  options: [],
  examples: [
    {
      says: 'Make users from stdin',
      line: 'skillgate users batch -',
      stdin: '{"uid":"bea","username":"Bea","credits":5}',
    },
  ],
  prints:
    'a line for each line: its number, status and uid; below, each fault of a refused one; with --json a line of JSON',
  data: 'document',
  run: toBatchCommand('/users:batch'),
}

export const CREDIT_BATCH_COMMAND: Command = {
  name: 'credits batch',
  summary: 'Grant credits to many users',
  details:
    'Each line is a grant with its uid: {"uid":"ada","grantId":"advent","amount":10}. A grantId counts once for its user, however often it is sent.',
  arguments: [FILE],
  options: [],
  examples: [
    {
      says: 'Grant credits from stdin',
      line: 'skillgate credits batch -',
      stdin: '{"uid":"ada","grantId":"advent","amount":10}',
    },
  ],
  prints:
    'a line for each line: its number, status, uid and grant; below, each fault of a refused one; with --json a line of JSON',
  data: 'document',
  run: toBatchCommand('/credits:batch'),
}
