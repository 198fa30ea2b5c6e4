/**
 * The commands `skills versions`, `diff`, `rollback`, `disable` and `enable`: the history of a
 * skill, and whether it is served.
 */
import { argument, type Command, type Invocation, option } from '../command/command.ts'
import { printFields, printJson, printRows } from '../command/print.ts'
import { type AdminClient, adminClient, type Fields, fieldsOf } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode, usageFault } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant, plain } from '../terminal/table.ts'
import { OWNER, SKILL, skillPlaceOf, TIER } from './rows.ts'
import { textOf } from './users.ts'

async function versions(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const { path, query } = skillPlaceOf(call)
  const rows = await rowsOf(call, admin, { path: `${path}/versions`, query }, 'versions')
  printRows<Fields>(call, rows, [
    { head: 'VERSION', of: (row) => textOf(row['version']), right: true },
    { head: 'MADE', of: (row) => instant(row['madeAtMs']), whole: true },
    { head: 'BY', of: (row) => textOf(row['by']) },
    { head: 'FROM', of: (row) => textOf(row['origin']) },
    { head: 'TOOL', of: (row) => textOf(row['toolName']) },
  ])
  return EXIT.ok
}

async function diff(call: Invocation): Promise<ExitCode> {
  const from = readVersion(argument(call, 'FROM'), 'FROM')
  const typed = call.words['TO']?.[0]
  const admin = await adminClient(call)
  const to = typed === undefined ? await fetchNewest(admin, call) : readVersion(typed, 'TO')
  const { path, query } = skillPlaceOf(call)
  const between = `${path}/versions/${from}/diff/${to}`
  const found = await admin.send({ method: 'GET', path: between, query })
  if (call.given['json'] !== undefined) printJson(call, found)
  else printDifferences(call, found)
  return EXIT.ok
}

function printDifferences(call: Invocation, { differences, from, more, to }: Fields): void {
  const rows = (Array.isArray(differences) ? differences : []).map(fieldsOf)
  if (rows.length === 0) note(call.shell, `Versions ${from} and ${to} are equal.`)
  for (const { after, before, pointer } of rows) {
    call.shell.out.write(`${plain(String(pointer))}\n`)
    if (before !== undefined) call.shell.out.write(`  - ${plain(JSON.stringify(before))}\n`)
    if (after !== undefined) call.shell.out.write(`  + ${plain(JSON.stringify(after))}\n`)
  }
  if (more === true)
    note(call.shell, 'There are more differences; skills export shows a whole one.')
}

/** Fetches the newest version of a skill, also of a deleted one. */
async function fetchNewest(admin: AdminClient, call: Invocation): Promise<string> {
  const { path, query } = skillPlaceOf(call)
  const list = { path: `${path}/versions`, query: { ...query, limit: '1' } }
  const page = await admin.send({ method: 'GET', ...list })
  const [first]: readonly unknown[] = Array.isArray(page['versions']) ? page['versions'] : []
  const { version } = fieldsOf(first)
  if (version !== undefined) return String(version)
  throw new CommandFault(`${argument(call, 'SKILL')} has no versions.`)
}

async function rollback(call: Invocation): Promise<ExitCode> {
  const version = Number(readVersion(argument(call, 'VERSION'), 'VERSION'))
  const admin = await adminClient(call)
  const { path, query } = skillPlaceOf(call)
  const request = { path: `${path}/rollback`, query, body: { version } }
  const synced = await admin.send({ method: 'POST', ...request })
  const { skill, toolName } = synced
  note(call.shell, `As in version ${version} again; agents get it as after a push.`)
  printFields(call, synced, [
    ['skill', textOf(fieldsOf(skill)['skillId']) ?? argument(call, 'SKILL')],
    ['tool', textOf(toolName)],
    ['version', textOf(fieldsOf(skill)['version'])],
  ])
  return EXIT.ok
}

function readVersion(text: string, subject: string): string {
  if (/^[1-9]\d*$/.test(text)) return text
  throw usageFault(
    `${subject}: ${text} is not the number of a version.`,
    'See skillgate skills versions.',
  )
}

function toSetStateCommand(state: 'listed' | 'disabled') {
  return async (call: Invocation): Promise<ExitCode> => {
    const reason = option(call, 'reason')
    const body = { state, ...(reason === undefined ? {} : { reason }) }
    const admin = await adminClient(call)
    const stored = await admin.send({ method: 'PATCH', ...skillPlaceOf(call), body })
    printFields(call, stored, [
      ['skill', argument(call, 'SKILL')],
      ['state', state],
      ['reason', reason],
    ])
    return EXIT.ok
  }
}

export const SKILL_VERSION_COMMANDS: readonly Command[] = [
  {
    name: 'skills versions',
    summary: 'List the versions of a skill, also of a deleted one',
    arguments: [SKILL],
    options: [TIER, OWNER, ...PAGE_OPTIONS],
    examples: [{ says: 'What a skill was', line: 'skillgate skills versions sg_joke' }],
    prints: 'a row for each version, newest first: the last 50 are kept',
    run: versions,
  },
  {
    name: 'skills diff',
    summary: 'Compare two versions of a skill',
    arguments: [
      SKILL,
      { name: 'FROM', help: 'number of a version' },
      { name: 'TO', help: 'number of another one (the newest)', optional: true },
    ],
    options: [TIER, OWNER],
    examples: [{ says: 'What changed since version 1', line: 'skillgate skills diff sg_joke 1' }],
    prints: 'the place of each difference, and its value before and after',
    run: diff,
  },
  {
    name: 'skills rollback',
    summary: 'Bring a version of a skill back',
    details: 'It becomes a new version. A deleted skill comes back too.',
    arguments: [SKILL, { name: 'VERSION', help: 'number of the version' }],
    options: [TIER, OWNER],
    examples: [
      { says: 'Bring the first version back', line: 'skillgate skills rollback sg_joke 1' },
    ],
    prints: 'the skill',
    run: rollback,
  },
  {
    name: 'skills disable',
    summary: 'Refuse all calls of a skill, free of charge',
    arguments: [SKILL],
    options: [TIER, OWNER, { flag: 'reason', value: 'TEXT', help: 'what agents are told' }],
    examples: [
      {
        says: 'Disable a skill for some days',
        line: "skillgate skills disable sg_joke --reason 'Down until Monday.'",
      },
    ],
    prints: 'the state',
    run: toSetStateCommand('disabled'),
  },
  {
    name: 'skills enable',
    summary: 'Serve a disabled skill again',
    arguments: [SKILL],
    options: [TIER, OWNER],
    examples: [{ says: 'Enable it', line: 'skillgate skills enable sg_joke' }],
    prints: 'the state',
    run: toSetStateCommand('listed'),
  },
]
