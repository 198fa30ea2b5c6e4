/** users create, show and set. */
import { argument, type Command, type Invocation, option } from '../command/command.ts'
import { printFields } from '../command/print.ts'
import { adminClient, type Fields, fieldsOf, segment } from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, usageFault } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { numberOf, UID } from './rows.ts'

async function create(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const uid = argument(call, 'UID') || undefined
  const username = option(call, 'username') ?? uid
  if (username === undefined) {
    throw usageFault('A new user needs a UID or --username.', 'Write skillgate users create ada.')
  }
  const credits = option(call, 'credits')
  const body = {
    username,
    uid,
    tier: option(call, 'tier'),
    credits: credits === undefined ? undefined : numberOf(credits, '--credits'),
  }
  printUser(call, await admin.send({ method: 'POST', path: '/users', body }))
  return EXIT.ok
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  printUser(call, await admin.send({ method: 'GET', path: pathOf(call) }))
  return EXIT.ok
}

async function set(call: Invocation): Promise<ExitCode> {
  const body = {
    username: option(call, 'username'),
    tier: option(call, 'tier'),
    lowBalance: lowBalanceOf(option(call, 'low-balance')),
    list: listOf(option(call, 'list')),
  }
  if (Object.values(body).every((value) => value === undefined)) {
    throw usageFault(
      'Nothing to set.',
      'Add --username NAME, --tier TIER, --low-balance N or --list KIND.',
    )
  }
  const admin = await adminClient(call)
  printUser(call, await admin.send({ method: 'PATCH', path: pathOf(call), body }))
  return EXIT.ok
}

/** Null: the threshold of the stage. */
function lowBalanceOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  return text === 'none' ? null : numberOf(text, '--low-balance')
}

/** Null: the list of the stage. */
function listOf(text: string | undefined): string | null | undefined {
  return text === 'none' ? null : text
}

export function pathOf(call: Invocation): string {
  return `/users/${segment(argument(call, 'UID'))}`
}

export function printUser(call: Invocation, user: Fields): void {
  const { createdAtMs, credits, creditsOnHold, lowBalance, tier, uid, username, warnings } = user
  const { groups, list, monthlyBudget, reason, state } = user
  for (const warning of Array.isArray(warnings) ? warnings : [])
    note(call.shell, `Warning: ${warning}`)
  printFields(call, user, [
    ['uid', textOf(uid)],
    ['username', textOf(username)],
    ['tier', textOf(tier)],
    // Of an active user nothing is to be said.
    ['state', state === 'active' ? undefined : textOf(state)],
    ['reason', textOf(reason)],
    ['groups', Array.isArray(groups) && groups.length > 0 ? groups.join(', ') : undefined],
    ['credits', textOf(credits)],
    ['on hold', textOf(creditsOnHold)],
    ['low balance', textOf(lowBalance)],
    ['list', textOf(list)],
    ['monthly budget', budgetText(monthlyBudget)],
    ['created', instant(createdAtMs)],
  ])
}

function budgetText(budget: unknown): string | undefined {
  if (budget === undefined) return undefined
  const { limit, renewsOn, spent } = fieldsOf(budget)
  return `${spent} of ${limit} spent, renews on ${renewsOn}`
}

export function textOf(value: unknown): string | undefined {
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
    run: create,
  },
  {
    name: 'users show',
    summary: 'Show a user',
    arguments: [UID],
    options: [],
    examples: [{ says: "Show Ada's credits", line: 'skillgate users show ada' }],
    prints: 'name, tier, credits, groups and budget, and the state of a user who is not active',
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
        help: "what clients list: all tools, or search for the search and sg_call; none for the stage's own",
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
    run: set,
  },
]
