/**
 * `skills push --watch`: pushes each file when it is saved, and shows the answer of a test call
 * beside it. The saved call of a skill is really sent, free of charge; without one the test only
 * tells what a call would do.
 */
import { resolve } from 'node:path'
import { getOption, type Invocation, isOn } from '../command/command.ts'
import { printLine } from '../command/print.ts'
import { type AdminClient, encodeSegment, type Fields } from '../gateway/admin-client.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote, type Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import { printDryRun } from './print-dry-run.ts'
import { type Outcome, printNotes } from './print-outcomes.ts'
import { pushFile, toUnreadOutcome } from './push-file.ts'
import { findSavedCall, nameCallFile } from './saved-call.ts'
import { readSkillFile } from './skill-files.ts'
import { watchSkillFiles } from './watch-files.ts'

/** Returns when the command is interrupted. Throws if the gateway refuses the credential. */
export async function pushWhenSaved(call: Invocation, admin: AdminClient): Promise<ExitCode> {
  printNote(call.shell, 'Watching. Ctrl-C ends it.')
  for await (const { file, kind } of watchSkillFiles(call)) {
    if (kind === 'deleted') {
      printDeleted(call, file)
      continue
    }
    for (const outcome of await pushSaved(call, admin, file)) {
      const test = outcome.outcome === 'refused' ? {} : await testPushed(call, admin, outcome)
      printBlock(call, outcome, test)
    }
  }
  return EXIT.interrupted
}

function printDeleted(call: Invocation, file: string): void {
  if (isOn(call, 'json')) printLine(call, { file, outcome: 'deleted' })
  else call.shell.out.write(`${toOneLine(file)}  deleted; its skill stays at the gateway\n\n`)
}

/** A file or a gateway that fails now may work at the next save. */
async function pushSaved(
  call: Invocation,
  admin: AdminClient,
  file: string,
): Promise<readonly Outcome[]> {
  try {
    const text = await readSkillFile(call, file)
    return await pushFile(call, admin, { file, text, list: 'now' })
  } catch (cause) {
    return [toUnreadOutcome(file, takeFault(cause))]
  }
}

function takeFault(cause: unknown): CommandFault {
  if (cause instanceof CommandFault && cause.exitCode !== EXIT.unauthenticated) return cause
  throw cause
}

/** What a test call of the skill gave. `fault` is there if it could not be made. */
type TestOfPush = { readonly test?: Fields; readonly fault?: string }

async function testPushed(
  call: Invocation,
  admin: AdminClient,
  { file, id = '', source = '' }: Outcome,
): Promise<TestOfPush> {
  try {
    const shown = nameCallFile(file)
    const saved = findSavedCall(resolve(call.shell.cwd, shown), shown)
    const owner = source === 'private' ? getOption(call, 'uid') : undefined
    const test = await admin.send({
      method: 'POST',
      path: `/skills/${source}/${encodeSegment(id)}/dry-run`,
      query: { uid: owner, send: saved === undefined ? undefined : 'true' },
      body: { uid: saved?.user, arguments: saved?.arguments ?? {} },
    })
    return { test }
  } catch (cause) {
    return { fault: takeFault(cause).message }
  }
}

function printBlock(call: Invocation, outcome: Outcome, { fault, test }: TestOfPush): void {
  if (isOn(call, 'json')) {
    const { excerpt: _, ...shown } = outcome
    printLine(call, {
      ...shown,
      ...(test === undefined ? {} : { test }),
      ...(fault === undefined ? {} : { fault }),
    })
    return
  }
  const { out } = call.shell
  const { file, outcome: what, tool } = outcome
  if (what !== 'refused') out.write(`${toOneLine(`${file}  ${what}  ${tool}`)}\n`)
  printNotes(out, outcome)
  if (test !== undefined) printDryRun(indent(call.shell), test)
  if (fault !== undefined) out.write(`  ${toOneLine(`not tested: ${fault}`)}\n`)
  out.write('\n')
}

function indent(shell: Shell): Shell {
  return { ...shell, out: { ...shell.out, write: (text) => shell.out.write(`  ${text}`) } }
}
