/**
 * The dashboard as data: six rows, from traffic to cost. It shows only numbers that somebody would
 * act on; those that must wake somebody are alarms as well (lib/alarms.ts).
 */
import { DOORS, type Door } from './doors.ts'
import {
  countOf,
  type Formula,
  ofApi,
  ofDoor,
  ofOperation,
  ofTable,
  own,
  ownBy,
  type Series,
} from './watch-series.ts'

export type Line =
  | { readonly label: string; readonly watched: Formula | Series }
  /** One line for each code that occurs. */
  | { readonly eachCodeOf: 'refusals' }

export type Widget = {
  readonly title: string
  readonly lines: readonly Line[]
  readonly unit: string
  readonly stacked?: true
}

export type Row = { readonly title: string; readonly widgets: readonly Widget[] }

export const ROWS: readonly Row[] = [
  {
    title: 'Traffic',
    widgets: [
      stack('Calls by outcome', 'calls', [
        line('settled', ownBy('calls', { Outcome: 'settled' })),
        line('refunded', ownBy('calls', { Outcome: 'refunded' })),
        line('free', ownBy('calls', { Outcome: 'free' })),
        line('refused', ownBy('calls', { Outcome: 'refused' })),
      ]),
      stack('Refused and failed, by code', 'requests', [{ eachCodeOf: 'refusals' }]),
      stack(
        'Invocations',
        'invocations',
        eachDoor((door) => ofDoor(door, 'Invocations')),
      ),
      stack('Deaths', 'functions', [
        ...eachDoor((door) => ofDoor(door, 'Errors')),
        line('platform lines', countOf('FunctionsDied')),
      ]),
    ],
  },
  {
    title: 'Money',
    widgets: [
      plain('Credits moved', 'credits', [
        line('held', own('creditsHeld')),
        line('settled', own('creditsSettled')),
        line('refunded', own('creditsRefunded')),
        line('voided', own('creditsVoided')),
      ]),
      plain('Free by crash, or in doubt', 'calls', [
        line('voided', own('creditsVoided', 'SampleCount')),
        line('free by crash', own('freeByCrash')),
        line('charges in doubt', countOf('ChargesInDoubt')),
        line('outcomes not written', countOf('OutcomesUnwritten')),
      ]),
      plain('Sweep', 'minutes; events', [
        line('backlog', own('sweepBacklog', 'Maximum')),
        line('events not delivered', countOf('EventsFailed')),
      ]),
    ],
  },
  {
    title: 'Latency',
    widgets: [
      plain('Upstreams', 'ms', [
        line('p50', own('upstreamLatency', 'p50')),
        line('p99', own('upstreamLatency', 'p99')),
      ]),
      plain('POST to reply', 'ms', [
        line('p50', own('replyDelay', 'p50')),
        line('p99', own('replyDelay', 'p99')),
      ]),
      plain('Functions, p99', 'ms', [
        line('messages', ofDoor('messages', 'Duration', 'p99')),
        line('execute', ofDoor('execute', 'Duration', 'p99')),
        line('admin', ofDoor('admin', 'Duration', 'p99')),
        line('sweep', ofDoor('sweep', 'Duration', 'p99')),
        line('usage', ofDoor('usage', 'Duration', 'p99')),
      ]),
      stack(
        'Cold starts',
        'starts',
        eachDoor((Door) => ownBy('coldStarts', { Door })),
      ),
    ],
  },
  {
    title: 'Streams',
    widgets: [
      plain('Open streams', 'streams', [
        line('open', own('openStreams', 'Maximum')),
        line('moved to the partition', own('streamsMoved')),
      ]),
      plain('Functions running at once', 'functions', [
        line('sse', ofDoor('sse', 'ConcurrentExecutions', 'Maximum')),
        line('messages', ofDoor('messages', 'ConcurrentExecutions', 'Maximum')),
        line('mcp', ofDoor('mcp', 'ConcurrentExecutions', 'Maximum')),
        line('execute', ofDoor('execute', 'ConcurrentExecutions', 'Maximum')),
      ]),
      stack(
        'Refused by Lambda',
        'requests',
        eachDoor((door) => ofDoor(door, 'Throttles')),
      ),
    ],
  },
  {
    title: 'Store',
    widgets: [
      plain('Throttled', 'requests', [
        line('Gateway, reads', ofTable('gateway', 'ReadThrottleEvents')),
        line('Gateway, writes', ofTable('gateway', 'WriteThrottleEvents')),
        line('Sessions, reads', ofTable('sessions', 'ReadThrottleEvents')),
        line('Sessions, writes', ofTable('sessions', 'WriteThrottleEvents')),
      ]),
      plain('Store latency, average', 'ms', [
        line('Gateway, UpdateItem', latency('gateway', 'UpdateItem')),
        line('Gateway, BatchGetItem', latency('gateway', 'BatchGetItem')),
        line('Sessions, UpdateItem', latency('sessions', 'UpdateItem')),
        line('Sessions, Query', latency('sessions', 'Query')),
      ]),
      plain('Faults seen', 'times', [
        line('reads repeated', countOf('StoreTrouble')),
        line('503', ownBy('refusals', { Code: 'store_unavailable' })),
      ]),
      plain('Admin API', 'requests', [
        line('requests', ofApi('Count')),
        line('4xx', ofApi('4XXError')),
        line('5xx', ofApi('5XXError')),
        line('without a valid credential', own('adminAuthFailures')),
      ]),
    ],
  },
  {
    title: 'Cost drivers',
    widgets: [
      stack('Function run time', 's', eachDoor(secondsOf)),
      stack('Units written', 'units', [
        line('Gateway', ofTable('gateway', 'ConsumedWriteCapacityUnits')),
        line('Sessions', ofTable('sessions', 'ConsumedWriteCapacityUnits')),
      ]),
      stack('Units read', 'units', [
        line('Gateway', ofTable('gateway', 'ConsumedReadCapacityUnits')),
        line('Sessions', ofTable('sessions', 'ConsumedReadCapacityUnits')),
      ]),
      stack(
        'Log bytes',
        'bytes',
        eachDoor((door) => logBytes(door)),
      ),
    ],
  },
]

function line(label: string, watched: Formula | Series): Line {
  return { label, watched }
}

function plain(title: string, unit: string, lines: readonly Line[]): Widget {
  return { title, unit, lines }
}

function stack(title: string, unit: string, lines: readonly Line[]): Widget {
  return { title, unit, lines, stacked: true }
}

function eachDoor(watchedOf: (door: Door) => Formula | Series): readonly Line[] {
  return DOORS.map((door) => line(door, watchedOf(door)))
}

function latency(
  table: 'gateway' | 'sessions',
  operation: 'BatchGetItem' | 'Query' | 'UpdateItem',
) {
  return ofOperation(table, operation, 'SuccessfulRequestLatency', 'Average')
}

/** Lambda bills memory times duration; memory is fixed, so the duration is shown. */
function secondsOf(door: Door): Formula {
  // Names are shared by all lines of a widget, so each door needs its own.
  return { expression: `${door}ms / 1000`, named: { [`${door}ms`]: ofDoor(door, 'Duration') } }
}

function logBytes(door: Door): Series {
  return { target: { of: 'log-bytes', door }, statistic: 'Sum' }
}
