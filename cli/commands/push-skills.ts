/**
 * The command `skills push`: sends files and folders of skills, in JSON or Markdown. Many skills
 * are sent with `list=later`, and the tool list is built once at the end. Sending a skill again
 * changes nothing, so an interrupted push can be repeated as it was.
 */
import type { Command, Invocation } from '../command/command.ts'
import { type AdminClient, openAdminClient } from '../gateway/admin-client.ts'
import { type Outcome, printOutcomes } from '../skills/print-outcomes.ts'
import { pushFile, toUnreadOutcome } from '../skills/push-file.ts'
import { listSkillFiles, readSkillFile } from '../skills/skill-files.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { ALLOW_CLEAR_SECRETS, OWNER, SOURCE } from './rows.ts'
import { rebuildToolList } from './set-skill.ts'

async function push(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const files = listSkillFiles(call)
  const outcomes: Outcome[] = []
  for (const [index, file] of files.entries()) {
    printProgress(call, index, files.length)
    outcomes.push(...(await pushOne(call, admin, { file, isAlone: files.length === 1 })))
  }
  printProgress(call, files.length, files.length)
  if (files.length > 1) await rebuildToolList(admin, () => {})
  printOutcomes(call, outcomes)
  return outcomes.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.ok
}

async function pushOne(
  call: Invocation,
  admin: AdminClient,
  { file, isAlone }: { readonly file: string; readonly isAlone: boolean },
): Promise<readonly Outcome[]> {
  const text = await readSkillFile(call, file).catch((cause: unknown) => {
    // A file that is no text does not keep the other files out.
    if (!isAlone && cause instanceof CommandFault) return cause
    throw cause
  })
  if (typeof text !== 'string') return [toUnreadOutcome(file, text)]
  return pushFile(call, admin, { file, text, list: isAlone ? 'now' : 'later' })
}

function printProgress({ shell }: Invocation, done: number, total: number): void {
  if (total < 2) return
  if (done === total) endProgress(shell)
  else showProgress(shell, `${done} of ${total} skills`)
}

export const PUSH_COMMAND: Command = {
  name: 'skills push',
  summary: 'Add or replace skills from files or folders',
  details:
    'A skill that is refused does not keep the others out. The same skill sent again changes nothing, so an interrupted push can be repeated.',
  arguments: [
    {
      name: 'PATH',
      help: 'a file in JSON or Markdown, a folder of them, or - for stdin',
      many: true,
      completes: 'files',
    },
  ],
  options: [
    { ...SOURCE, help: 'tier of the skills, if they do not name it' },
    OWNER,
    { flag: 'strict', help: 'refuse likely mistakes, such as a misspelled field' },
    { flag: 'loose', help: 'only warn of them, also where they change a skill that works' },
    ALLOW_CLEAR_SECRETS,
  ],
  examples: [
    {
      says: 'Add one skill for all users',
      line: 'skillgate skills push examples/skills/joke.json --source official',
    },
    {
      says: 'Add a skill for one user, from stdin',
      line: 'skillgate skills push - --uid ada',
      stdin:
        '{"id":"sg_greet","meta":{"name":"Greet","description":"Greets."},"config":{"endpoint":"https://api.example.com/greet","method":"GET"},"credits_per_call":0}',
    },
  ],
  prints:
    'a row for each skill that was stored, with its tool; below, each fault and warning with its file, line and column',
  data: 'rows',
  run: push,
}
