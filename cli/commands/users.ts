/** The commands `users create`, `show` and `set`. */
import { TOOL_LIST_KINDS } from '../../core/skills/tool-list-kind.ts'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields } from '../command/print.ts'
import { encodeSegment, type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { printWarning } from '../terminal/colours.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { toOneLine } from '../terminal/table.ts'
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
  }
  printUser(call, await admin.send({ method: 'POST', path: '/users', body }))
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  printUser(call, await admin.send({ method: 'GET', path: toUserPath(call) }))
  return EXIT.ok
}

async function set(call: Invocation): Promise<ExitCode> {
  const body = {
    username: getOption(call, 'username'),
    tier: getOption(call, 'tier'),
    lowBalance: readLowBalance(getOption(call, 'low-balance')),
    list: readList(getOption(call, 'list')),
  }
  if (Object.values(body).every((value) => value === undefined)) {
    throw toUsageFault(
      'Nothing to set.',
      'Add --username NAME, --tier TIER, --low-balance N or --list KIND.',
    )
  }
  const admin = await openAdminClient(call)
  printUser(call, await admin.send({ method: 'PATCH', path: toUserPath(call), body }))
  return EXIT.ok
}

/** Reads the threshold; null restores the threshold of the stage. */
function readLowBalance(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  return text === 'none' ? null : readNumber(text, '--low-balance')
}

/** Reads the kind of list; null restores the list of the stage. */
function readList(text: string | undefined): string | null | undefined {
  return text === 'none' ? null : text
}

/** Returns the path of the user in the admin API. */
export function toUserPath(call: Invocation): string {
  return `/users/${encodeSegment(getArgument(call, 'UID'))}`
}

/** Prints a user, and warnings of the response to stderr. */
export function printUser(call: Invocation, user: Fields): void {
  const { createdAtMs, credits, creditsOnHold, lowBalance, tier, uid, username, warnings } = user
  const { groups, list, monthlyBudget, reason, state } = user
  for (const warning of Array.isArray(warnings) ? warnings : [])
    printWarning(call.shell, toOneLine(String(warning)))
  printFields(call, user, [
    ['uid', toText(uid)],
    ['username', toText(username)],
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
  ])
}

export function formatBudget(budget: unknown): string | undefined {
  if (budget === undefined) return undefined
  const { limit, renewsOn, spent } = toFields(budget)
  return `${spent} of ${limit} spent, renews on ${renewsOn}`
}

/** Returns a value as text; undefined stays undefined. */
export function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

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
    prints: 'name, tier, credits, groups and budget, and the state of a user who is not active',
    data: 'record',
    run: show,
  },
  {
    name: 'users set',
    summary: 'Change name, tier, low balance or tool list of a user',
    arguments: [UID],
    options: [
      { flag: 'username', value: 'NAME', help: 'the new name' },
      { flag: 'tier', value: 'TIER', help: 'the new tier' },
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
    ],
    examples: [
      { says: "Change Ada's tier", line: 'skillgate users set ada --tier pro' },
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
