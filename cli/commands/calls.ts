/** The commands `calls ls` and `calls show`: the records of ended calls. */
import { REFUND_REASONS } from '../../core/ledger/ledger.ts'
import { type Command, getOption, type Invocation, type Option } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { readTime, SINCE, UNTIL } from '../command/time-value.ts'
import { encodeSegment, type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { findCallId } from '../gateway/whole-call-id.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { toText } from './users.ts'

export const CALL_FILTERS: readonly Option[] = [
  { flag: 'user', value: 'UID', help: 'calls of this user', completes: 'users' },
  { flag: 'skill', value: 'SKILL', help: 'calls of this skill', completes: 'skills' },
  {
    flag: 'outcome',
    value: 'OUTCOME',
    help: 'calls with this outcome',
    choices: ['settled', 'refunded', ...REFUND_REASONS],
  },
]

async function list(call: Invocation): Promise<ExitCode> {
  const minMs = getOption(call, 'min-ms')
  if (minMs !== undefined && !/^\d+$/.test(minMs)) {
    throw toUsageFault(
      `--min-ms: ${minMs} is not a number of milliseconds.`,
      'Write --min-ms 2000.',
    )
  }
  const admin = await openAdminClient(call)
  const query = { ...readCallQuery(call), min_ms: minMs }
  const rows = await fetchRows(call, admin, { path: '/calls', query }, 'calls')
  printRows<Fields>(call, rows, [
    { head: 'AT', field: 'startedAtMs', kind: 'time' },
    { head: 'USER', field: 'uid' },
    { head: 'SKILL', field: 'skillId', kind: 'name' },
    { head: 'OUTCOME', of: (row) => toText(row['reason'] ?? row['outcome']), kind: 'state' },
    { head: 'CHARGED', field: 'charged', right: true },
    { head: 'MS', field: 'durationMs', right: true },
    { head: 'STATUS', field: 'upstreamStatus', right: true },
    { head: 'CALL', field: 'callId', kind: 'id' },
  ])
  return EXIT.ok
}

/** Returns the filters of the options as a query of `GET /calls`. */
export function readCallQuery(call: Invocation) {
  return {
    user: getOption(call, 'user'),
    skill: getOption(call, 'skill'),
    outcome: getOption(call, 'outcome'),
    since: readTime(call, 'since'),
    until: readTime(call, 'until'),
  }
}

async function show(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const path = `/calls/${encodeSegment(await findCallId(call, admin))}`
  const shown = await admin.send({ method: 'GET', path, query: { user: getOption(call, 'user') } })
  printFields(call, shown, [
    ['call', toText(shown['callId'])],
    ['user', formatNamed(shown['uid'], shown['username'])],
    ['skill', formatNamed(shown['skillId'], formatVersion(shown))],
    ['outcome', toText(shown['explanation'])],
    ['price', toText(shown['price'])],
    ['charged', toText(shown['charged'])],
    ['started', shown['startedAtMs'], 'time'],
    ['took', `${toText(shown['durationMs'])} ms`],
    ['phases', formatPhases(shown['phasesMs'])],
    ['upstream', formatNamed(shown['upstreamHost'], shown['upstreamStatus'])],
    ['door', toText(shown['door'])],
    ['client', toText(shown['client'])],
    ['call id of client', toText(shown['clientCallId'])],
    ['key id', toText(shown['keyId'])],
    ['secrets', toText(shown['secretsUsed'])],
    ['trace', toText(shown['traceId'])],
    ['answer', toText(shown['excerpt'])],
  ])
  return EXIT.ok
}

/** Formats an id with its name, as `ada (Ada)`. A name that equals the id is not repeated. */
function formatNamed(id: unknown, more: unknown): string | undefined {
  if (id === undefined || more === undefined || id === more) return toText(id ?? more)
  return `${id} (${more})`
}

function formatVersion({ skillVersion }: Fields): string | undefined {
  return skillVersion === undefined ? undefined : `version ${skillVersion}`
}

function formatPhases(value: unknown): string | undefined {
  const phases = Object.entries(toFields(value)).map(([name, ms]) => `${name} ${ms} ms`)
  return phases.length === 0 ? undefined : phases.join(', ')
}

export const CALL_COMMANDS: readonly Command[] = [
  {
    name: 'calls ls',
    summary: 'List ended calls, newest first',
    details:
      'Calls of the last day unless --since says otherwise, 31 days at most. With --user they are as of now, else up to a minute old.',
    arguments: [],
    options: [
      ...CALL_FILTERS,
      { flag: 'min-ms', value: 'MS', help: 'calls that lasted at least so long' },
      SINCE,
      UNTIL,
      ...PAGE_OPTIONS,
    ],
    examples: [
      {
        says: 'List the failed calls of the last two hours',
        line: 'skillgate calls ls --outcome refunded --since 2h',
      },
    ],
    prints: 'a row for each call, with its reason where it was refunded',
    data: 'rows',
    run: list,
  },
  {
    name: 'calls show',
    summary: 'Show everything about one call',
    arguments: [{ name: 'CALL', help: 'the id of the call, or the beginning of it' }],
    options: [{ flag: 'user', value: 'UID', help: 'the caller; finds the call sooner' }],
    examples: [
      {
        says: "Show one of the demo user's calls",
        line: 'skillgate calls show $CALL_ID --user demo',
      },
    ],
    prints:
      'who called what, its charge with the reason, its phases and the answer of a failed one',
    data: 'record',
    run: show,
  },
]
