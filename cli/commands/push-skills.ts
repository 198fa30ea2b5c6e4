/**
 * The command `skills push`: sends files and folders of skills, in JSON or Markdown. Many skills
 * are sent with `list=later`, and the tool list is built once at the end. Sending a skill again
 * changes nothing, so an interrupted push can be repeated as it was.
 */
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
  toRefusalFault,
} from '../gateway/admin-client.ts'
import { listSkillFiles, readSkillFile } from '../skills/skill-files.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { OWNER, SOURCE } from './rows.ts'
import { toText } from './users.ts'

type PushOutcome = {
  readonly file: string
  readonly outcome: string
  readonly tool?: string
  readonly text?: string
}

async function push(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const files = listSkillFiles(call)
  const isListedLater = files.length > 1
  const pushed: PushOutcome[] = []
  for (const [index, file] of files.entries()) {
    printProgress(call, index, files.length)
    pushed.push(...(await pushFile(call, admin, { file, isListedLater })))
  }
  printProgress(call, files.length, files.length)
  if (isListedLater) await rebuildToolList(admin)
  printRows(call, pushed, [
    { head: 'FILE', of: ({ file }) => file },
    { head: 'OUTCOME', of: ({ outcome }) => outcome },
    { head: 'TOOL', of: ({ tool }) => tool },
    { head: '', of: ({ text }) => text },
  ])
  return pushed.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.ok
}

async function pushFile(
  call: Invocation,
  admin: AdminClient,
  { file, isListedLater }: { file: string; isListedLater: boolean },
): Promise<readonly PushOutcome[]> {
  const query = {
    source:
      getOption(call, 'source') ?? (getOption(call, 'uid') === undefined ? undefined : 'private'),
    uid: getOption(call, 'uid'),
    ...(isListedLater ? { list: 'later' } : {}),
    ...(isOn(call, 'strict') ? { strict: 'true' } : {}),
  }
  const body = await readSkillFile(call, file).catch((cause: unknown) => {
    // A file that is no text does not keep the other files out.
    if (isListedLater && cause instanceof CommandFault) return cause
    throw cause
  })
  if (typeof body !== 'string') {
    return [{ file, outcome: 'refused', text: `${body.message} ${body.remedy ?? ''}`.trim() }]
  }
  const answer = await admin.exchange({ method: 'POST', path: '/sync_skill', query, body })
  // Refused credentials and failures of the gateway end the push; a refused skill does not keep the
  // others out.
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500)
    throw toRefusalFault(answer)
  const results = toFields(answer.body)['results']
  if (!Array.isArray(results)) return [toOutcome(file, answer.status, answer.body)]
  return results
    .map(toFields)
    .map(({ problem, status, synced }, index) =>
      toOutcome(`${file}[${index}]`, Number(status), synced ?? problem),
    )
}

function toOutcome(file: string, status: number, body: unknown): PushOutcome {
  const fields: Fields = toFields(body)
  if (status >= 400) {
    return { file, outcome: 'refused', text: explainRefusal(status, fields) }
  }
  const tool = toText(fields['toolName']) ?? ''
  const warnings = Array.isArray(fields['warnings']) ? fields['warnings'].join('; ') : ''
  const outcome = fields['created'] === true ? 'created' : 'stored'
  return { file, outcome, tool, ...(warnings === '' ? {} : { text: `warning: ${warnings}` }) }
}

/**
 * Explains a refusal. The problem's detail names only the first error; if there are several the
 * text lists them all.
 */
function explainRefusal(status: number, problem: Fields): string {
  const { details, message, remedy } = toRefusalFault({ status, body: problem })
  const text = details.length === 0 ? message : `${message}: ${details.join('; ')}`
  // The admin API takes the tier with the request, the command line as an option.
  const worded = text.replaceAll('or with the request', 'or with --source')
  return remedy === undefined ? worded : `${worded} ${remedy}`
}

/** Rebuilds the tool list, in several requests if there are many tools. */
async function rebuildToolList(admin: AdminClient): Promise<void> {
  let cursor: unknown
  do {
    const body = { mode: 'rebuild', ...(cursor === undefined ? {} : { cursor }) }
    const step = await admin.send({ method: 'POST', path: '/sync_cache', body })
    cursor = step['nextCursor']
  } while (cursor !== undefined)
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
  prints: 'a row for each skill, created or stored, with its tool, or why it was refused',
  run: push,
}
