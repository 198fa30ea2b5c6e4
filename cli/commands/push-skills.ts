/**
 * `skills push`: files and folders of skills, in JSON or Markdown. Many skills are sent with
 * `list=later`, and the tool list is made once at the end. Sending a skill again changes nothing,
 * so a push that was killed is repeated as it was.
 */
import { type Command, type Invocation, isOn, option } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import {
  type AdminClient,
  adminClient,
  type Fields,
  fieldsOf,
  refusal,
} from '../gateway/admin-client.ts'
import { filesOf, textOfFile } from '../skills/skill-files.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { OWNER, SOURCE } from './rows.ts'
import { textOf } from './users.ts'

type PushOutcome = {
  readonly file: string
  readonly outcome: string
  readonly tool?: string
  readonly text?: string
}

async function push(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const files = filesOf(call)
  const later = files.length > 1
  const pushed: PushOutcome[] = []
  for (const [index, file] of files.entries()) {
    progress(call, index, files.length)
    pushed.push(...(await pushFile(call, admin, { file, later })))
  }
  progress(call, files.length, files.length)
  if (later) await listTools(admin)
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
  { file, later }: { file: string; later: boolean },
): Promise<readonly PushOutcome[]> {
  const query = {
    source: option(call, 'source') ?? (option(call, 'uid') === undefined ? undefined : 'private'),
    uid: option(call, 'uid'),
    ...(later ? { list: 'later' } : {}),
    ...(isOn(call, 'strict') ? { strict: 'true' } : {}),
  }
  const body = await textOfFile(call, file).catch((cause: unknown) => {
    // One file that is no text does not keep the others out.
    if (later && cause instanceof CommandFault) return cause
    throw cause
  })
  if (typeof body !== 'string') {
    return [{ file, outcome: 'refused', text: `${body.message} ${body.remedy ?? ''}`.trim() }]
  }
  const answer = await admin.exchange({ method: 'POST', path: '/sync_skill', query, body })
  // Credentials and trouble end the push; a refused skill does not keep the others out.
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500) throw refusal(answer)
  const results = fieldsOf(answer.body)['results']
  if (!Array.isArray(results)) return [outcomeOf(file, answer.status, answer.body)]
  return results
    .map(fieldsOf)
    .map(({ problem, status, synced }, index) =>
      outcomeOf(`${file}[${index}]`, Number(status), synced ?? problem),
    )
}

function outcomeOf(file: string, status: number, body: unknown): PushOutcome {
  const fields: Fields = fieldsOf(body)
  if (status >= 400) {
    return { file, outcome: 'refused', text: whyOf(status, fields) }
  }
  const tool = textOf(fields['toolName']) ?? ''
  const warnings = Array.isArray(fields['warnings']) ? fields['warnings'].join('; ') : ''
  const outcome = fields['created'] === true ? 'created' : 'stored'
  return { file, outcome, tool, ...(warnings === '' ? {} : { text: `warning: ${warnings}` }) }
}

/** The detail names the first fault, so where there are several they stand in its place. */
function whyOf(status: number, problem: Fields): string {
  const { message, remedy } = refusal({ status, body: problem })
  const { code, errors } = problem
  const count = Array.isArray(errors) ? errors.length : 0
  const text = remedy === undefined ? message : `${count} faults (${status} ${code}): ${remedy}`
  // The tier is a query of the route, and an option here.
  return text.replaceAll('or as ?source=', 'or with --source')
}

/** A list of many tools is made in several requests. */
async function listTools(admin: AdminClient): Promise<void> {
  let cursor: unknown
  do {
    const body = { mode: 'rebuild', ...(cursor === undefined ? {} : { cursor }) }
    const step = await admin.send({ method: 'POST', path: '/sync_cache', body })
    cursor = step['nextCursor']
  } while (cursor !== undefined)
}

function progress({ shell }: Invocation, done: number, total: number): void {
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
