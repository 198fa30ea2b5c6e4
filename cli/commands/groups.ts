/** The commands `groups ls`, `show`, `set`, `add` and `rm`: groups decide who sees and calls a skill. */
import { type Command, getArgument, type Invocation } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchAllRows } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { UID } from './rows.ts'
import { toUserPath } from './users.ts'

/**
 * Lists the groups that skills name. A group that only users have opens no skill, so it is not
 * listed.
 */
async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const skills = await fetchAllRows(call, admin, { path: '/skills' }, 'skills')
  const byGroup = new Map<string, string[]>()
  for (const { skill, skillId } of skills) {
    for (const group of toNames(toFields(skill)['groups'])) {
      byGroup.set(group, [...(byGroup.get(group) ?? []), String(skillId)])
    }
  }
  const rows = [...byGroup].sort().map(([group, ids]) => ({ group, skills: ids }))
  printRows(call, rows, [
    { head: 'GROUP', field: 'group', kind: 'id' },
    { head: 'SKILLS', of: (row) => row.skills.length, right: true },
    { head: '', field: 'skillIds', of: (row) => row.skills.join(', ') },
  ])
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  printGroups(call, await admin.send({ method: 'GET', path: toUserPath(call) }))
  return EXIT.ok
}

/**
 * `field` says what happens with the named groups. The gateway adds and removes them in the groups
 * that the user has then, so two commands at once both have their effect.
 */
function toChangeCommand(field: 'addGroups' | 'groups' | 'removeGroups') {
  return async (call: Invocation): Promise<ExitCode> => {
    const admin = await openAdminClient(call)
    const body = { [field]: [...(call.words['GROUP'] ?? [])] }
    printGroups(call, await admin.send({ method: 'PATCH', path: toUserPath(call), body }))
    return EXIT.ok
  }
}

function printGroups(call: Invocation, user: Fields): void {
  const groups = toNames(user['groups'])
  printFields(call, { uid: getArgument(call, 'UID'), groups }, [
    ['uid', getArgument(call, 'UID')],
    ['groups', groups.length === 0 ? 'none: skills without groups alone' : groups.join(', ')],
  ])
}

function toNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

export const GROUP_COMMANDS: readonly Command[] = [
  {
    name: 'groups ls',
    summary: 'List the groups that skills name',
    arguments: [],
    options: [],
    examples: [{ says: 'Which groups open which skills', line: 'skillgate groups ls' }],
    prints: 'a row for each group, with the official and market skills that only its users see',
    data: 'rows',
    run: list,
  },
  {
    name: 'groups show',
    summary: "Show a user's groups",
    arguments: [UID],
    options: [],
    examples: [{ says: "Show Ada's groups", line: 'skillgate groups show ada' }],
    prints: 'the groups',
    data: 'record',
    run: show,
  },
  {
    name: 'groups set',
    summary: "Set a user's groups",
    details:
      'These groups replace all that the user had. The next call and the next list obey them.',
    arguments: [
      UID,
      {
        name: 'GROUP',
        help: 'all groups of the user from now on; give none to remove the user from all',
        optional: true,
        many: true,
      },
    ],
    options: [],
    examples: [
      { says: 'Put Ada into two groups', line: 'skillgate groups set ada finance travel' },
      { says: 'Take Ada out of all groups', line: 'skillgate groups set ada' },
    ],
    prints: 'the groups',
    data: 'record',
    run: toChangeCommand('groups'),
  },
  {
    name: 'groups add',
    summary: 'Put a user into groups',
    details: 'Other groups of the user stay.',
    arguments: [UID, { name: 'GROUP', help: 'groups to add', many: true }],
    options: [],
    examples: [{ says: 'Put Ada into one more group', line: 'skillgate groups add ada finance' }],
    prints: 'all groups of the user',
    data: 'record',
    run: toChangeCommand('addGroups'),
  },
  {
    name: 'groups rm',
    summary: 'Take a user out of groups',
    details: 'Other groups of the user stay.',
    arguments: [UID, { name: 'GROUP', help: 'groups to take the user out of', many: true }],
    options: [],
    examples: [{ says: 'Take Ada out of a group', line: 'skillgate groups rm ada finance' }],
    prints: 'the groups that are left',
    data: 'record',
    run: toChangeCommand('removeGroups'),
  },
]
