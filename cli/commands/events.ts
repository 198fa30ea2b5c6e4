/**
 * The commands `events ls`, `resend` and `test`: events that a gateway sends to its targets, and
 * what happened at each target.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { encodeSegment, type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { formatInstant } from '../terminal/table.ts'
import { toText } from './users.ts'

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = { state: getOption(call, 'state') }
  const rows = await fetchRows(call, admin, { path: '/events', query }, 'events')
  printRows<Fields>(call, rows, [
    { head: 'EVENT', kind: 'id', of: (row) => toText(row['eventId']) },
    { head: 'TYPE', kind: 'name', of: (row) => toText(row['type']) },
    { head: 'AT', kind: 'time', of: (row) => Number(row['createdAtMs']) },
    { head: 'TRIES', of: (row) => toText(row['attempts']), right: true },
    {
      head: 'TARGETS',
      kind: 'text',
      of: (row) => listDeliveries(row).map(describeDelivery).join('; '),
    },
  ])
  return EXIT.ok
}

async function resend(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const path = `/events/${encodeSegment(getArgument(call, 'EVENT'))}/resend`
  printEvent(call, await admin.send({ method: 'POST', path }))
  return EXIT.ok
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
  return Array.isArray(targets) ? targets.map(toFields) : []
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
    ['state', toText(event['state'])],
    ['at', formatInstant(event['createdAtMs'])],
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
        choices: ['pending', 'failed', 'delivered'],
      },
      ...PAGE_OPTIONS,
    ],
    examples: [{ says: 'Which events did not reach a target', line: 'skillgate events ls' }],
    prints: 'a row for each event, with what happened at each target',
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
    run: sendTest,
  },
  {
    name: 'events resend',
    summary: 'Send an event again',
    details:
      'One that failed goes to the targets that lack it, one that was delivered to all; with the same id, so receivers must ignore ids that they have seen.',
    arguments: [{ name: 'EVENT', help: 'the id of the event, as events ls shows it' }],
    options: [],
    examples: [{ says: 'Send an event once more', line: 'skillgate events resend $EVENT_ID' }],
    prints: 'the event, pending',
    run: resend,
  },
]
