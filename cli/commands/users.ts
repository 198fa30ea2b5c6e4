/** The commands `users create`, `show` and `set`. people.ts has the lists of users. */
import { TOOL_LIST_KINDS } from '../../core/skills/tool-list-kind.ts'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields } from '../command/print.ts'
import { encodeSegment, type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { printWarning } from '../terminal/colours.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { formatTime, toOneLine } from '../terminal/table.ts'
import { readNumber, UID } from './rows.ts'

async function create(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const uid = getArgument(call, 'UID') || undefined
  const username = getOption(call, 'username') ?? uid
  if (username === undefined) {
    throw toUsageFault('A new user needs a UID or --username.', 'Write skillgate users create ada.')
  }
  const credits = getOption(call, 'credits')
  const body = {
    username,
    uid,
    tier: getOption(call, 'tier'),
    credits: credits === undefined ? undefined : readNumber(credits, '--credits'),
    identity: getOption(call, 'identity'),
    groups: getOption(call, 'groups')
      ?.split(',')
      .map((group) => group.trim()),
  }
  printUser(call, await admin.send({ method: 'POST', path: '/users', body }))
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const user = await admin.send({ method: 'GET', path: toUserPath(call) })
  printUser(call, user, [
    ['keys', countShown(user, 'keys')],
    ['secrets', countShown(user, 'secrets')],
    ['private skills', countShown(user, 'privateSkills')],
    ['open streams', countShown(user, 'openStreams')],
    ['last call', formatLastCall(call, user['lastCalls'])],
  ])
  return EXIT.ok
}

/** Counts the entries of a list; `50 or more` if the gateway cut it. */
function countShown(user: Fields, name: string): string {
  const { length } = toList(user[name])
  return toList(user['cut']).includes(name) ? `${length} or more` : String(length)
}

function formatLastCall({ shell }: Invocation, calls: unknown): string {
  const [last] = toList(calls)
  if (last === undefined) return 'none yet'
  const { createdAtMs, skillId, state } = toFields(last)
  return `${formatTime(Number(createdAtMs), shell.out, shell.nowMs())} ${skillId}, ${state}`
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

async function set(call: Invocation): Promise<ExitCode> {
  const body = {
    username: getOption(call, 'username'),
    tier: getOption(call, 'tier'),
    monthlyBudget: readAmount(call, 'monthly-budget'),
    lowBalance: readAmount(call, 'low-balance'),
    identity: readNone(getOption(call, 'identity')),
    list: readNone(getOption(call, 'list')),
  }
  if (Object.values(body).every((value) => value === undefined)) {
    const flags = SET_OPTIONS.map(({ flag, value }) => `--${flag} ${value}`)
    throw toUsageFault('Nothing to set.', `Add ${flags.join(', ')}.`)
  }
  const admin = await openAdminClient(call)
  printUser(call, await admin.send({ method: 'PATCH', path: toUserPath(call), body }))
  return EXIT.ok
}

/** Reads credits, or `none` as null, which takes the user's own value away. */
function readAmount(
  call: Invocation,
  flag: 'low-balance' | 'monthly-budget',
): number | null | undefined {
  const text = getOption(call, flag)
  if (text === undefined) return undefined
  return text === 'none' ? null : readNumber(text, `--${flag}`)
}

/** Reads `none` as null, which takes the user's own value away. */
function readNone(text: string | undefined): string | null | undefined {
  return text === 'none' ? null : text
}

/** Returns the path of the user in the admin API. */
export function toUserPath(call: Invocation): string {
  return `/users/${encodeSegment(getArgument(call, 'UID'))}`
}

/** Prints a user and `more`, and warnings of the response to stderr. */
export function printUser(
  call: Invocation,
  user: Fields,
  more: readonly (readonly [name: string, value: string])[] = [],
): void {
  const { createdAtMs, credits, creditsOnHold, lowBalance, tier, uid, username, warnings } = user
  const { groups, identity, list, monthlyBudget, reason, state } = user
  for (const warning of Array.isArray(warnings) ? warnings : [])
    printWarning(call.shell, toOneLine(String(warning)))
  printFields(call, user, [
    ['uid', toText(uid)],
    ['username', toText(username)],
    ['identity', toText(identity)],
    ['tier', toText(tier)],
    // The usual state is not printed.
    ['state', state === 'active' ? undefined : toText(state), 'state'],
    ['reason', toText(reason)],
    ['groups', Array.isArray(groups) && groups.length > 0 ? groups.join(', ') : undefined],
    ['credits', toText(credits)],
    ['on hold', toText(creditsOnHold)],
    ['low balance', toText(lowBalance)],
    ['list', toText(list)],
    ['monthly budget', formatBudget(monthlyBudget)],
    ['created', createdAtMs, 'time'],
    ...more,
  ])
}

export function formatBudget(budget: unknown): string | undefined {
  if (budget === undefined) return undefined
  const { limit, renewsOn, spent } = toFields(budget)
  return `${spent} of ${limit} spent, renews on ${renewsOn}`
}

/** Formats a budget as a cell: `12.5/20`, spent of the limit. */
export function formatShortBudget(budget: unknown): string | undefined {
  if (budget === undefined) return undefined
  const { limit, spent } = toFields(budget)
  return `${spent}/${limit}`
}

/** Returns a value as text; undefined stays undefined. */
export function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

const SET_OPTIONS = [
  { flag: 'username', value: 'NAME', help: 'the new name' },
  { flag: 'tier', value: 'TIER', help: 'the new tier' },
  {
    flag: 'monthly-budget',
    value: 'N',
    help: 'most credits of a month (UTC); none for no budget',
  },
  {
    flag: 'identity',
    value: 'NAME',
    help: 'an outside name, such as an e-mail address, that no other user has; none for no identity',
  },
  {
    flag: 'low-balance',
    value: 'N',
    help: "credits at or below which an event is sent; none for the stage's own",
  },
  {
    flag: 'list',
    value: 'KIND',
    help: "what clients list, all tools or the search and sg_call; none for the stage's own",
    choices: [...TOOL_LIST_KINDS, 'none'],
  },
] as const

export const USER_COMMANDS: readonly Command[] = [
  {
    name: 'users create',
    summary: 'Make a user',
    arguments: [
      { ...UID, help: 'an id that you choose; the gateway makes one otherwise', optional: true },
    ],
    options: [
      { flag: 'username', value: 'NAME', help: 'the name in tools and logs (the UID)' },
      { flag: 'tier', value: 'TIER', help: 'decides the limits (free)' },
      { flag: 'credits', value: 'N', help: 'credits to begin with (0)' },
      { flag: 'groups', value: 'GROUPS', help: 'groups of the user, as finance,travel' },
      {
        flag: 'identity',
        value: 'NAME',
        help: 'an outside name, such as an e-mail address, that no other user has',
      },
    ],
    examples: [
      { says: 'Make a user with 25 credits', line: 'skillgate users create ada --credits 25' },
    ],
    prints: 'the user',
    data: 'record',
    run: create,
  },
  {
    name: 'users show',
    summary: 'Show a user',
    arguments: [UID],
    options: [],
    examples: [{ says: "Show Ada's credits", line: 'skillgate users show ada' }],
    prints:
      'name, tier, credits, groups and budget, the state of a user who is not active, how many keys, secrets, skills and streams there are, and the last call',
    data: 'record',
    run: show,
  },
  {
    name: 'users set',
    summary: "Change a user's name, tier, budget, identity or list",
    details: 'groups and users disable change the rest.',
    arguments: [UID],
    options: SET_OPTIONS,
    examples: [
      { says: "Change Ada's tier", line: 'skillgate users set ada --tier pro' },
      {
        says: 'Let Ada spend 20 credits a month at most',
        line: 'skillgate users set ada --monthly-budget 20',
      },
      {
        says: 'Be told when Ada has 5 credits left',
        line: 'skillgate users set ada --low-balance 5',
      },
      {
        says: "Have Ada's clients list the search in place of all tools",
        line: 'skillgate users set ada --list search',
      },
    ],
    prints: 'the user after the change',
    data: 'record',
    run: set,
  },
]
