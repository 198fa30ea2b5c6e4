/**
 * The dashboard as data: six rows, from traffic to cost. It shows only numbers that somebody would
 * act on; numbers that must wake somebody are alarms as well (lib/alarms.ts).
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
  /** Draws one line for each code that occurs. */
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
      toStackedWidget('Calls by outcome', 'calls', [
        toLine('settled', ownBy('calls', { Outcome: 'settled' })),
        toLine('refunded', ownBy('calls', { Outcome: 'refunded' })),
        toLine('free', ownBy('calls', { Outcome: 'free' })),
        toLine('refused', ownBy('calls', { Outcome: 'refused' })),
      ]),
      toStackedWidget('Refused and failed, by code', 'requests', [{ eachCodeOf: 'refusals' }]),
      toStackedWidget(
        'Invocations',
        'invocations',
        toDoorLines((door) => ofDoor(door, 'Invocations')),
      ),
      toStackedWidget('Deaths', 'functions', [
        ...toDoorLines((door) => ofDoor(door, 'Errors')),
        toLine('platform lines', countOf('FunctionsDied')),
      ]),
    ],
  },
  {
    title: 'Money',
    widgets: [
      toWidget('Credits moved', 'credits', [
        toLine('held', own('creditsHeld')),
        toLine('settled', own('creditsSettled')),
        toLine('refunded', own('creditsRefunded')),
        toLine('voided', own('creditsVoided')),
      ]),
      toWidget('Free by crash, or in doubt', 'calls', [
        toLine('voided', own('creditsVoided', 'SampleCount')),
        toLine('free by crash', own('freeByCrash')),
        toLine('charges in doubt', countOf('ChargesInDoubt')),
        toLine('outcomes not written', countOf('OutcomesUnwritten')),
      ]),
      toWidget('Sweep', 'minutes; events', [
        toLine('backlog', own('sweepBacklog', 'Maximum')),
        toLine('events not delivered', countOf('EventsFailed')),
      ]),
    ],
  },
  {
    title: 'Latency',
    widgets: [
      toWidget('Upstreams', 'ms', [
        toLine('p50', own('upstreamLatency', 'p50')),
        toLine('p99', own('upstreamLatency', 'p99')),
      ]),
      toWidget('POST to reply', 'ms', [
        toLine('p50', own('replyDelay', 'p50')),
        toLine('p99', own('replyDelay', 'p99')),
      ]),
      toWidget('Functions, p99', 'ms', [
        toLine('messages', ofDoor('messages', 'Duration', 'p99')),
        toLine('execute', ofDoor('execute', 'Duration', 'p99')),
        toLine('admin', ofDoor('admin', 'Duration', 'p99')),
        toLine('sweep', ofDoor('sweep', 'Duration', 'p99')),
        toLine('usage', ofDoor('usage', 'Duration', 'p99')),
      ]),
      toStackedWidget(
        'Cold starts',
        'starts',
        toDoorLines((Door) => ownBy('coldStarts', { Door })),
      ),
    ],
  },
  {
    title: 'Streams',
    widgets: [
      toWidget('Open streams', 'streams', [
        toLine('open', own('openStreams', 'Maximum')),
        toLine('moved to the partition', own('streamsMoved')),
      ]),
      toWidget('Functions running at once', 'functions', [
        toLine('sse', ofDoor('sse', 'ConcurrentExecutions', 'Maximum')),
        toLine('messages', ofDoor('messages', 'ConcurrentExecutions', 'Maximum')),
        toLine('mcp', ofDoor('mcp', 'ConcurrentExecutions', 'Maximum')),
        toLine('execute', ofDoor('execute', 'ConcurrentExecutions', 'Maximum')),
      ]),
      toStackedWidget(
        'Refused by Lambda',
        'requests',
        toDoorLines((door) => ofDoor(door, 'Throttles')),
      ),
    ],
  },
  {
    title: 'Store',
    widgets: [
      toWidget('Throttled', 'requests', [
        toLine('Gateway, reads', ofTable('gateway', 'ReadThrottleEvents')),
        toLine('Gateway, writes', ofTable('gateway', 'WriteThrottleEvents')),
        toLine('Sessions, reads', ofTable('sessions', 'ReadThrottleEvents')),
        toLine('Sessions, writes', ofTable('sessions', 'WriteThrottleEvents')),
      ]),
      toWidget('Store latency, average', 'ms', [
        toLine('Gateway, UpdateItem', watchLatency('gateway', 'UpdateItem')),
        toLine('Gateway, BatchGetItem', watchLatency('gateway', 'BatchGetItem')),
        toLine('Sessions, UpdateItem', watchLatency('sessions', 'UpdateItem')),
        toLine('Sessions, Query', watchLatency('sessions', 'Query')),
      ]),
      toWidget('Faults seen', 'times', [
        toLine('reads repeated', countOf('StoreTrouble')),
        toLine('503', ownBy('refusals', { Code: 'store_unavailable' })),
      ]),
      toWidget('Admin API', 'requests', [
        toLine('requests', ofApi('Count')),
        toLine('4xx', ofApi('4XXError')),
        toLine('5xx', ofApi('5XXError')),
        toLine('without a valid credential', own('adminAuthFailures')),
      ]),
    ],
  },
  {
    title: 'Cost drivers',
    widgets: [
      toStackedWidget('Function run time', 's', toDoorLines(toSecondsFormula)),
      toStackedWidget('Units written', 'units', [
        toLine('Gateway', ofTable('gateway', 'ConsumedWriteCapacityUnits')),
        toLine('Sessions', ofTable('sessions', 'ConsumedWriteCapacityUnits')),
      ]),
      toStackedWidget('Units read', 'units', [
        toLine('Gateway', ofTable('gateway', 'ConsumedReadCapacityUnits')),
        toLine('Sessions', ofTable('sessions', 'ConsumedReadCapacityUnits')),
      ]),
      toStackedWidget(
        'Log bytes',
        'bytes',
        toDoorLines((door) => watchLogBytes(door)),
      ),
    ],
  },
]

function toLine(label: string, watched: Formula | Series): Line {
  return { label, watched }
}

function toWidget(title: string, unit: string, lines: readonly Line[]): Widget {
  return { title, unit, lines }
}

function toStackedWidget(title: string, unit: string, lines: readonly Line[]): Widget {
  return { title, unit, lines, stacked: true }
}

function toDoorLines(watchedOf: (door: Door) => Formula | Series): readonly Line[] {
  return DOORS.map((door) => toLine(door, watchedOf(door)))
}

function watchLatency(
  table: 'gateway' | 'sessions',
  operation: 'BatchGetItem' | 'Query' | 'UpdateItem',
) {
  return ofOperation(table, operation, 'SuccessfulRequestLatency', 'Average')
}

/** Lambda bills memory times duration; memory is fixed, so the widget shows the duration. */
function toSecondsFormula(door: Door): Formula {
  // All lines of a widget share one name space, so each door needs names of its own.
  return { expression: `${door}ms / 1000`, named: { [`${door}ms`]: ofDoor(door, 'Duration') } }
}

function watchLogBytes(door: Door): Series {
  return { target: { of: 'log-bytes', door }, statistic: 'Sum' }
}
