/**
 * The commands `skills set` and `skills rebuild`: price, state and groups of a skill without its
 * definition, and the shared tool list.
 */
import { SKILL_STATES } from '../../core/skills/definition/read-state.ts'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields } from '../command/print.ts'
import { type AdminClient, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { endProgress, showProgress } from '../terminal/progress.ts'
import { printNote } from '../terminal/shell.ts'
import { formatInstant } from '../terminal/table.ts'
import { OWNER, readNumber, readSkillPlace, SKILL, TIER } from './rows.ts'
import { toText } from './users.ts'

async function set(call: Invocation): Promise<ExitCode> {
  const price = getOption(call, 'price')
  const groups = getOption(call, 'groups')
  const changes = {
    state: getOption(call, 'state'),
    reason: getOption(call, 'reason'),
    credits: price === undefined ? undefined : readNumber(price, '--price'),
    groups: groups === undefined ? undefined : readGroups(groups),
  }
  if (Object.values(changes).every((value) => value === undefined)) {
    throw toUsageFault('Nothing to set.', 'Add --price N, --state STATE or --groups GROUPS.')
  }
  const version = getOption(call, 'if-version')
  const expectedVersion = version === undefined ? undefined : readNumber(version, '--if-version')
  const body = { ...changes, expectedVersion }
  const admin = await openAdminClient(call)
  const stored = await admin.send({ method: 'PATCH', ...readSkillPlace(call), body })
  const { credits_per_call, groups: inGroups, state, state_reason } = toFields(stored['skill'])
  printFields(call, stored, [
    ['skill', getArgument(call, 'SKILL')],
    ['price', toText(credits_per_call)],
    ['state', toText(state) ?? 'listed'],
    ['reason', toText(state_reason)],
    ['groups', Array.isArray(inGroups) ? inGroups.join(', ') : 'none: for everyone'],
    ['version', toText(stored['version'])],
  ])
  return EXIT.ok
}

function readGroups(text: string): readonly string[] {
  return text === 'none' ? [] : text.split(',').map((group) => group.trim())
}

async function rebuild(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const list = await rebuildToolList(admin, (read) =>
    showProgress(call.shell, `${read} skills read`),
  )
  endProgress(call.shell)
  printNote(call.shell, 'Rebuilt. Agents are told to list their tools again.')
  printFields(call, list, [
    ['tools', toText(list['tools'])],
    ['changed', formatInstant(list['changedAtMs'])],
  ])
  return EXIT.ok
}

/**
 * Rebuilds the tool list, in several requests if there are many skills. Calls `onStep` between them
 * with the number of skills that were read. Returns the last answer.
 */
export async function rebuildToolList(admin: AdminClient, onStep: (read: number) => void) {
  for (let cursor: unknown; ; ) {
    const body = { mode: 'rebuild', ...(cursor === undefined ? {} : { cursor }) }
    const step = await admin.send({ method: 'POST', path: '/sync_cache', body })
    cursor = step['nextCursor']
    if (cursor === undefined) return step
    onStep(Number(step['read']))
  }
}

export const SET_SKILL_COMMANDS: readonly Command[] = [
  {
    name: 'skills set',
    summary: 'Change price, state or groups of a skill',
    details:
      'The definition stays, and later pushes, imports and rollbacks keep what is set here. An unlisted skill can be called and is in no list; a skill in review is listed and not called.',
    arguments: [SKILL],
    options: [
      TIER,
      OWNER,
      { flag: 'price', value: 'N', help: 'credits of a call; calls that run keep their price' },
      { flag: 'state', value: 'STATE', help: 'whether it is listed', choices: SKILL_STATES },
      { flag: 'reason', value: 'TEXT', help: 'with --state: what agents are told' },
      {
        flag: 'groups',
        value: 'GROUPS',
        help: 'all groups whose users see it, as finance,travel; none for everyone',
      },
      {
        flag: 'if-version',
        value: 'N',
        help: 'refuse the change if the skill has another version than this one',
      },
    ],
    examples: [
      { says: 'Change the price of a call', line: 'skillgate skills set sg_joke --price 2.5' },
      {
        says: 'Keep a skill callable, but out of all lists',
        line: 'skillgate skills set sg_joke --state unlisted',
      },
      {
        says: 'Show a skill to everyone again',
        line: 'skillgate skills set sg_joke --state listed --groups none',
      },
    ],
    prints: 'price, state, groups and version after the change',
    data: 'record',
    run: set,
  },
  {
    name: 'skills rebuild',
    summary: 'Build the shared tool list again from the stored skills',
    details: 'Takes several requests if there are many skills. Replaces a list that was pushed.',
    arguments: [],
    options: [],
    examples: [{ says: 'Build the list again', line: 'skillgate skills rebuild' }],
    prints: 'how many tools the list has',
    data: 'record',
    run: rebuild,
  },
]
