/**
 * The commands `skills ls`, `show`, `export` and `rm`. The other commands of skills are in files of
 * their own.
 */
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printJson, printRows } from '../command/print.ts'
import { encodeSegment, type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { PUSH_COMMAND } from './push-skills.ts'
import { OWNER, readSkillPlace, SKILL, SOURCE, TIER } from './rows.ts'
import { SET_SKILL_COMMANDS } from './set-skill.ts'
import { SKILL_SET_COMMANDS } from './skill-sets.ts'
import { SKILL_VERSION_COMMANDS } from './skill-versions.ts'
import { TEST_COMMAND } from './test-skill.ts'
import { toText } from './users.ts'

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = { source: getOption(call, 'source'), uid: getOption(call, 'uid') }
  const rows = await fetchRows(call, admin, { path: '/skills', query }, 'skills')
  printRows(call, rows, [
    { head: 'SKILL', field: 'skillId', kind: 'id' },
    { head: 'TIER', field: 'source', kind: 'state' },
    { head: 'TOOL', field: 'toolName' },
    {
      head: 'PRICE',
      of: (row) => toText(toFields(row['skill'])['credits_per_call']),
      right: true,
    },
    {
      head: 'STATE',
      of: (row) => toText(toFields(row['skill'])['state']) ?? 'listed',
      kind: 'state',
    },
    { head: 'VERSION', field: 'version', right: true },
    { head: 'UPDATED', field: 'updatedAtMs', kind: 'time' },
    { head: 'NAME', of: (row) => toText(toFields(toFields(row['skill'])['meta'])['name']) },
  ])
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const stored = await admin.send({ method: 'GET', ...readSkillPlace(call) })
  const definition = toFields(stored['skill'])
  const { groups } = definition
  printFields(call, stored, [
    ['skill', toText(stored['skillId'])],
    ['tier', toText(stored['source'])],
    ['owner', toText(stored['uid'])],
    ['tool', toText(stored['toolName'])],
    ['version', toText(stored['version'])],
    ['updated', stored['updatedAtMs'], 'time'],
    ['state', toText(definition['state']), 'state'],
    ['reason', toText(definition['state_reason'])],
    ['price', toText(definition['credits_per_call'])],
    ['groups', Array.isArray(groups) ? groups.join(', ') : undefined],
    ['calls', toText(describeUpstream(toFields(definition['config'])))],
    ['says', toText(toFields(definition['meta'])['description'])],
  ])
  return EXIT.ok
}

function describeUpstream({ endpoint, lambda }: Fields): unknown {
  if (lambda === undefined || lambda === null) return endpoint
  const { function: name, qualifier } = toFields(lambda)
  return `function ${name}${qualifier === undefined ? '' : `:${qualifier}`}`
}

/** Prints the definition alone, in the form that `skills push` accepts. */
async function exportSkill(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { path, query } = readSkillPlace(call)
  const version = getOption(call, 'version')
  const place = version === undefined ? path : `${path}/versions/${encodeSegment(version)}`
  const stored = await admin.send({ method: 'GET', path: place, query })
  printJson(call, stored['skill'])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { path, query } = readSkillPlace(call)
  // Fails for a wrong name before the person is asked.
  await admin.send({ method: 'GET', path, query })
  if (!(await askConfirmation(call, `Delete skill ${getArgument(call, 'SKILL')}?`)))
    return EXIT.failed
  await admin.send({ method: 'DELETE', path, query })
  printNote(call.shell, 'Deleted. Agents no longer see it; calls may find it for 30 seconds.')
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
    data: 'rows',
    run: list,
  },
  {
    name: 'skills show',
    summary: 'Show a skill',
    arguments: [SKILL],
    options: [TIER, OWNER],
    examples: [{ says: 'Show a skill', line: 'skillgate skills show sg_weather' }],
    prints: 'tier, tool, version, price and target; with --json all that is stored',
    data: 'record',
    run: show,
  },
  {
    name: 'skills export',
    summary: "Print a skill's definition",
    arguments: [SKILL],
    options: [
      TIER,
      OWNER,
      { flag: 'version', value: 'N', help: 'as it was in this version (the newest)' },
    ],
    examples: [
      {
        says: 'Print a definition, to change and push it',
        line: 'skillgate skills export sg_weather',
      },
      {
        says: 'Print what the first version was',
        line: 'skillgate skills export sg_weather --version 1',
      },
    ],
    prints: 'the definition as JSON, as skills push takes it',
    data: 'document',
    run: exportSkill,
  },
  PUSH_COMMAND,
  ...SKILL_SET_COMMANDS,
  ...SET_SKILL_COMMANDS,
  ...SKILL_VERSION_COMMANDS,
  TEST_COMMAND,
  {
    name: 'skills rm',
    summary: 'Delete a skill',
    arguments: [SKILL],
    options: [TIER, OWNER, YES],
    examples: [{ says: 'Delete a skill', line: 'skillgate skills rm sg_joke --yes' }],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]
