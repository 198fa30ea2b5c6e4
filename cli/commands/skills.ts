/**
 * The commands `skills ls`, `show`, `export` and `rm`. The other commands of skills are in files of
 * their own.
 */
import { argument, type Command, type Invocation, option } from '../command/command.ts'
import { confirmed, YES } from '../command/confirm.ts'
import { printFields, printJson, printRows } from '../command/print.ts'
import { adminClient, fieldsOf } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { PUSH_COMMAND } from './push-skills.ts'
import { OWNER, SKILL, SOURCE, skillPlaceOf, TIER } from './rows.ts'
import { SKILL_SET_COMMANDS } from './skill-sets.ts'
import { SKILL_VERSION_COMMANDS } from './skill-versions.ts'
import { TEST_COMMAND } from './test-skill.ts'
import { textOf } from './users.ts'

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const query = { source: option(call, 'source'), uid: option(call, 'uid') }
  const rows = await rowsOf(call, admin, { path: '/skills', query }, 'skills')
  printRows(call, rows, [
    { head: 'SKILL', of: (row) => textOf(row['skillId']) },
    { head: 'TIER', of: (row) => textOf(row['source']) },
    { head: 'TOOL', of: (row) => textOf(row['toolName']) },
    { head: 'PRICE', of: (row) => textOf(fieldsOf(row['skill'])['credits_per_call']), right: true },
    { head: 'VERSION', of: (row) => textOf(row['version']), right: true },
    { head: 'UPDATED', of: (row) => instant(row['updatedAtMs']), whole: true },
    { head: 'NAME', of: (row) => textOf(fieldsOf(fieldsOf(row['skill'])['meta'])['name']) },
  ])
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const stored = await admin.send({ method: 'GET', ...skillPlaceOf(call) })
  const definition = fieldsOf(stored['skill'])
  printFields(call, stored, [
    ['skill', textOf(stored['skillId'])],
    ['tier', textOf(stored['source'])],
    ['owner', textOf(stored['uid'])],
    ['tool', textOf(stored['toolName'])],
    ['version', textOf(stored['version'])],
    ['updated', instant(stored['updatedAtMs'])],
    ['state', textOf(definition['state'])],
    ['reason', textOf(definition['state_reason'])],
    ['price', textOf(definition['credits_per_call'])],
    ['calls', textOf(fieldsOf(definition['config'])['endpoint'])],
    ['says', textOf(fieldsOf(definition['meta'])['description'])],
  ])
  return EXIT.ok
}

/** Prints the definition alone, in the form that `skills push` accepts. */
async function exportSkill(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const stored = await admin.send({ method: 'GET', ...skillPlaceOf(call) })
  printJson(call, stored['skill'])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const { path, query } = skillPlaceOf(call)
  // Fails for a wrong name before the person is asked.
  await admin.send({ method: 'GET', path, query })
  if (!(await confirmed(call, `Delete skill ${argument(call, 'SKILL')}?`))) return EXIT.failed
  await admin.send({ method: 'DELETE', path, query })
  note(call.shell, 'Deleted. Agents no longer see it; calls may find it for 30 seconds.')
  return EXIT.ok
}

export const SKILL_COMMANDS: readonly Command[] = [
  {
    name: 'skills ls',
    summary: 'List skills',
    arguments: [],
    options: [{ ...SOURCE, help: 'only this tier' }, OWNER, ...PAGE_OPTIONS],
    examples: [{ says: 'List the official skills', line: 'skillgate skills ls --source official' }],
    prints: 'a row for each skill',
    run: list,
  },
  {
    name: 'skills show',
    summary: 'Show a skill',
    arguments: [SKILL],
    options: [TIER, OWNER],
    examples: [{ says: 'Show a skill', line: 'skillgate skills show sg_weather' }],
    prints: 'tier, tool, version, price and target; with --json all that is stored',
    run: show,
  },
  {
    name: 'skills export',
    summary: "Print a skill's definition",
    arguments: [SKILL],
    options: [TIER, OWNER],
    examples: [
      {
        says: 'Print a definition, to change and push it',
        line: 'skillgate skills export sg_weather',
      },
    ],
    prints: 'the definition as JSON, as skills push takes it',
    run: exportSkill,
  },
  PUSH_COMMAND,
  ...SKILL_SET_COMMANDS,
  ...SKILL_VERSION_COMMANDS,
  TEST_COMMAND,
  {
    name: 'skills rm',
    summary: 'Delete a skill',
    arguments: [SKILL],
    options: [TIER, OWNER, YES],
    examples: [{ says: 'Delete a skill', line: 'skillgate skills rm sg_joke --yes' }],
    prints: 'nothing',
    run: remove,
  },
]
