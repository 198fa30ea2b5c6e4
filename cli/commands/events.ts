/**
 * The commands `events ls`, `resend` and `test`: events that a gateway sends to its webhook or
 * event bus.
 */
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
} from '../gateway/admin-client.ts'
import { fetchAllRows, fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { findWholeId } from '../gateway/whole-id.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
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
    { head: 'ERROR', field: 'error' },
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

async function sendTest(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  printEvent(call, await admin.send({ method: 'POST', path: '/events:test' }))
  return EXIT.ok
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
    summary: 'List events of low balances and reached budgets',
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
    examples: [{ says: 'Which events nobody has taken', line: 'skillgate events ls' }],
    prints: 'a row for each event, with why its last delivery failed',
    data: 'rows',
    run: list,
  },
  {
    name: 'events test',
    summary: 'Send a test event to the webhook or event bus',
    details: 'It is sent within a minute or so.',
    arguments: [],
    options: [],
    examples: [{ says: 'Does the receiver take events?', line: 'skillgate events test' }],
    prints: 'the event, pending',
    data: 'record',
    run: sendTest,
  },
  {
    name: 'events resend',
    summary: 'Send an event again',
    details: 'One that failed or was delivered, with the same id; a receiver counts ids.',
    arguments: [{ name: 'EVENT', help: 'the id of the event, or the beginning of it' }],
    options: [],
    examples: [{ says: 'Send an event once more', line: 'skillgate events resend $EVENT_ID' }],
    prints: 'the event, pending',
    data: 'record',
    run: resend,
  },
]
