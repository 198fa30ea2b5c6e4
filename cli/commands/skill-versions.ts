/**
 * The commands `skills versions`, `diff`, `rollback`, `disable` and `enable`: the history of a
 * skill, and whether it is served.
 */
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields, printJson, printRows } from '../command/print.ts'
import {
  type AdminClient,
  type Fields,
  openAdminClient,
  toFields,
  toRows,
} from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { printMarkedLine } from '../terminal/colours.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import { OWNER, readSkillPlace, SKILL, TIER } from './rows.ts'
import { toText } from './users.ts'

async function versions(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { path, query } = readSkillPlace(call)
  const rows = await fetchRows(call, admin, { path: `${path}/versions`, query }, 'versions')
  printRows<Fields>(call, rows, [
    { head: 'VERSION', field: 'version', right: true, kind: 'id' },
    { head: 'MADE', field: 'madeAtMs', kind: 'time' },
    { head: 'BY', field: 'by' },
    { head: 'FROM', field: 'origin' },
    { head: 'TOOL', field: 'toolName' },
  ])
  return EXIT.ok
}

async function diff(call: Invocation): Promise<ExitCode> {
  const from = readVersion(getArgument(call, 'FROM'), 'FROM')
  const typed = call.words['TO']?.[0]
  const admin = await openAdminClient(call)
  const to = typed === undefined ? await fetchNewest(admin, call) : readVersion(typed, 'TO')
  const { path, query } = readSkillPlace(call)
  const between = `${path}/versions/${from}/diff/${to}`
  const found = await admin.send({ method: 'GET', path: between, query })
  if (call.given['json'] !== undefined) printJson(call, found)
  else printDifferences(call, found)
  return EXIT.ok
}

function printDifferences(call: Invocation, { differences, from, more, to }: Fields): void {
  const rows = toRows(differences)
  if (rows.length === 0) printNote(call.shell, `Versions ${from} and ${to} are equal.`)
  const print = (line: string) => printMarkedLine(call.shell.out, line)
  for (const { after, before, pointer } of rows) {
    call.shell.out.write(`${toOneLine(String(pointer))}\n`)
    if (before !== undefined) print(`  - ${toOneLine(JSON.stringify(before))}`)
    if (after !== undefined) print(`  + ${toOneLine(JSON.stringify(after))}`)
  }
  if (more === true)
    printNote(call.shell, 'There are more differences; skills export shows a whole one.')
}

/** Fetches the newest version of a skill, also of a deleted one. */
async function fetchNewest(admin: AdminClient, call: Invocation): Promise<string> {
  const { path, query } = readSkillPlace(call)
  const list = { path: `${path}/versions`, query: { ...query, limit: '1' } }
  const page = await admin.send({ method: 'GET', ...list })
  const [first]: readonly unknown[] = Array.isArray(page['versions']) ? page['versions'] : []
  const { version } = toFields(first)
  if (version !== undefined) return String(version)
  throw new CommandFault(`${getArgument(call, 'SKILL')} has no versions.`)
}

async function rollback(call: Invocation): Promise<ExitCode> {
  const version = Number(readVersion(getArgument(call, 'VERSION'), 'VERSION'))
  const admin = await openAdminClient(call)
  const { path, query } = readSkillPlace(call)
  const request = { path: `${path}/rollback`, query, body: { version } }
  const synced = await admin.send({ method: 'POST', ...request })
  const { skill, toolName } = synced
  printNote(call.shell, `As in version ${version} again; agents get it as after a push.`)
  printFields(call, synced, [
    ['skill', toText(toFields(skill)['skillId']) ?? getArgument(call, 'SKILL')],
    ['tool', toText(toolName)],
    ['version', toText(toFields(skill)['version'])],
  ])
  return EXIT.ok
}

function readVersion(text: string, subject: string): string {
  if (/^[1-9]\d*$/.test(text)) return text
  throw toUsageFault(
    `${subject}: ${text} is not the number of a version.`,
    'See skillgate skills versions.',
  )
}

function toSetStateCommand(state: 'listed' | 'disabled') {
  return async (call: Invocation): Promise<ExitCode> => {
    const reason = getOption(call, 'reason')
    const body = { state, ...(reason === undefined ? {} : { reason }) }
    const admin = await openAdminClient(call)
    const stored = await admin.send({ method: 'PATCH', ...readSkillPlace(call), body })
    printFields(call, stored, [
      ['skill', getArgument(call, 'SKILL')],
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
    data: 'rows',
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
    data: 'document',
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
    data: 'record',
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
    data: 'record',
    run: toSetStateCommand('disabled'),
  },
  {
    name: 'skills enable',
    summary: 'Serve a disabled skill again',
    arguments: [SKILL],
    options: [TIER, OWNER],
    examples: [{ says: 'Enable it', line: 'skillgate skills enable sg_joke' }],
    prints: 'the state',
    data: 'record',
    run: toSetStateCommand('listed'),
  },
]
