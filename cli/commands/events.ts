/**
 * The commands `events ls`, `resend` and `test`: events that a gateway sends to its targets, and
 * what happened at each target.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
  toRows,
} from '../gateway/admin-client.ts'
import { fetchAllRows, fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { findWholeId } from '../gateway/whole-id.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { toText } from './users.ts'

const EVENT_STATES = ['pending', 'failed', 'delivered'] as const
/** Characters of a whole id. */
const EVENT_ID_CHARS = 32

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = { state: getOption(call, 'state') }
  const rows = await fetchRows(call, admin, { path: '/events', query }, 'events')
  printRows<Fields>(call, rows, [
    { head: 'EVENT', field: 'eventId', kind: 'id' },
    { head: 'TYPE', field: 'type', kind: 'name' },
    { head: 'AT', field: 'createdAtMs', kind: 'time' },
    { head: 'TRIES', field: 'attempts', right: true },
    { head: 'TARGETS', of: (row) => listDeliveries(row).map(describeDelivery).join('; ') },
  ])
  return EXIT.ok
}

async function resend(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const path = `/events/${encodeSegment(await findEventId(call, admin))}/resend`
  printEvent(call, await admin.send({ method: 'POST', path }))
  return EXIT.ok
}

/** Looks among the events that can be sent again. */
async function findEventId(call: Invocation, admin: AdminClient): Promise<string> {
  const typed = getArgument(call, 'EVENT')
  if (typed.length >= EVENT_ID_CHARS) return typed
  const lists = ['failed', 'delivered'].map((state) =>
    fetchAllRows(call, admin, { path: '/events', query: { state } }, 'events'),
  )
  const choices = (await Promise.all(lists)).flat().map(({ eventId }) => ({ id: String(eventId) }))
  // The gateway says why there are none: it may send no events at all.
  if (choices.length === 0) return typed
  return findWholeId(typed, choices, { noun: 'event', list: 'skillgate events ls' })
}

/** Longer than the time until the next run of a stage's sweep, and its deliveries. */
const TEST_WAIT_MS = 90_000
const TEST_POLL_MS = 1_000

/** Waits for the first delivery, and shows what each target did. */
async function sendTest(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const sent = await admin.send({ method: 'POST', path: '/events:test' })
  const path = `/events/${encodeSegment(toText(sent['eventId']) ?? '')}`
  const untilMs = Date.now() + TEST_WAIT_MS
  let event = sent
  while (event['state'] === 'pending' && listDeliveries(event).length === 0) {
    if (Date.now() >= untilMs) {
      throw new CommandFault(
        `The test ${toText(sent['eventId'])} was not sent within ${TEST_WAIT_MS / 1_000} s. Look at the sweep: skillgate logs.`,
      )
    }
    await wait(TEST_POLL_MS)
    event = await admin.send({ method: 'GET', path })
  }
  const deliveries = listDeliveries(event)
  printRows<Fields>(call, deliveries, [
    { head: 'TARGET', kind: 'name', of: (row) => toText(row['target']) },
    { head: 'STATE', kind: 'state', of: (row) => (isTaken(row) ? 'delivered' : 'failed') },
    { head: 'ERROR', kind: 'text', of: (row) => toText(row['error']) },
  ])
  return deliveries.every(isTaken) ? EXIT.ok : EXIT.failed
}

function listDeliveries(event: Fields): readonly Fields[] {
  const { targets } = event
  return toRows(targets)
}

function isTaken(delivery: Fields): boolean {
  return delivery['takenAtMs'] !== undefined
}

function describeDelivery(delivery: Fields): string {
  const { error, target } = delivery
  return isTaken(delivery) ? `${toText(target)}: ok` : `${toText(target)}: ${toText(error)}`
}

function printEvent(call: Invocation, event: Fields): void {
  printFields(call, event, [
    ['event', toText(event['eventId'])],
    ['type', toText(event['type'])],
    ['state', toText(event['state']), 'state'],
    ['at', event['createdAtMs'], 'time'],
  ])
}

export const EVENT_COMMANDS: readonly Command[] = [
  {
    name: 'events ls',
    summary: 'List events: low balances, reached budgets, tools that fail',
    details: 'Those whose delivery failed for six hours, unless --state is given.',
    arguments: [],
    options: [
      {
        flag: 'state',
        value: 'STATE',
        help: 'events in this state (failed)',
        choices: EVENT_STATES,
      },
      ...PAGE_OPTIONS,
    ],
    examples: [{ says: 'Which events did not reach a target', line: 'skillgate events ls' }],
    prints: 'a row for each event, with what happened at each target',
    data: 'rows',
    run: list,
  },
  {
    name: 'events test',
    summary: 'Send a test event to every target, and say what each did',
    details:
      'It is sent within a minute or so, and the command waits for that. It fails if a target does.',
    arguments: [],
    options: [],
    examples: [{ says: 'Do all targets take events?', line: 'skillgate events test' }],
    prints: 'a row for each target, with why its delivery failed',
    data: 'rows',
    run: sendTest,
  },
  {
    name: 'events resend',
    summary: 'Send an event again',
    details:
      'One that failed goes to the targets that lack it, one that was delivered to all; with the same id, so receivers must ignore ids that they have seen.',
    arguments: [{ name: 'EVENT', help: 'the id of the event, or the beginning of it' }],
    options: [],
    examples: [{ says: 'Send an event once more', line: 'skillgate events resend $EVENT_ID' }],
    prints: 'the event, pending',
    data: 'record',
    run: resend,
  },
]
