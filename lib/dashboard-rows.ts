/**
 * The dashboard as data: seven rows, from traffic to cost. It shows only numbers that somebody would
 * act on; numbers that must wake somebody are alarms as well (lib/alarms.ts).
 */
import { DOORS, type Door } from './doors.ts'
import {
  type Formula,
  type Series,
  watchApi,
  watchClaimed,
  watchDoor,
  watchLogCount,
  watchOperation,
  watchOwn,
  watchOwnBy,
  watchTable,
} from './watch-series.ts'

export type Line =
  | { readonly label: string; readonly watched: Formula | Series }
  /** Draws one line for each value of the metric's dimension that occurs. */
  | { readonly eachOf: 'refusals' | 'secretsUnreadable' }

export type Widget = {
  readonly title: string
  readonly lines: readonly Line[]
  readonly unit: string
  readonly stacked?: true
}

export type Row = { readonly title: string; readonly widgets: readonly Widget[] }

export const DASHBOARD_ROWS: readonly Row[] = [
  {
    title: 'Traffic',
    widgets: [
      toStackedWidget('Calls by outcome', 'calls', [
        toLine('settled', watchOwnBy('calls', { Outcome: 'settled' })),
        toLine('refunded', watchOwnBy('calls', { Outcome: 'refunded' })),
        toLine('free', watchOwnBy('calls', { Outcome: 'free' })),
        toLine('refused', watchOwnBy('calls', { Outcome: 'refused' })),
      ]),
      toStackedWidget('Refused and failed, by code', 'requests', [{ eachOf: 'refusals' }]),
      toStackedWidget(
        'Invocations',
        'invocations',
        toDoorLines((door) => watchDoor(door, 'Invocations')),
      ),
      toStackedWidget(
        'Cold starts',
        'starts',
        toDoorLines((Door) => watchOwnBy('coldStarts', { Door })),
      ),
    ],
  },
  {
    title: 'Failures',
    widgets: [
      toStackedWidget('Deaths', 'functions', [
        ...toDoorLines((door) => watchDoor(door, 'Errors')),
        toLine('platform lines', watchLogCount('FunctionsDied')),
      ]),
      toStackedWidget('Answers with 5xx', 'requests', [
        toLine('sse', watchDoor('sse', 'Url5xxCount')),
        toLine('messages', watchDoor('messages', 'Url5xxCount')),
        toLine('mcp', watchDoor('mcp', 'Url5xxCount')),
        toLine('execute', watchDoor('execute', 'Url5xxCount')),
        toLine('admin', watchApi('5XXError')),
      ]),
      toStackedWidget('Secrets that cannot be read, by cause', 'calls', [
        { eachOf: 'secretsUnreadable' },
      ]),
    ],
  },
  {
    title: 'Money',
    widgets: [
      toWidget('Credits moved', 'credits', [
        toLine('held', watchOwn('creditsHeld')),
        toLine('settled', watchOwn('creditsSettled')),
        toLine('summed by usage', watchOwn('creditsSummed')),
        toLine('refunded', watchOwn('creditsRefunded')),
        toLine('voided', watchOwn('creditsVoided')),
      ]),
      toWidget('Free by crash, or in doubt', 'calls', [
        toLine('voided', watchOwn('creditsVoided', 'SampleCount')),
        toLine('free by crash', watchOwn('freeByCrash')),
        toLine('charges in doubt', watchLogCount('ChargesInDoubt')),
        toLine('outcomes not written', watchLogCount('OutcomesUnwritten')),
      ]),
      toWidget('Sweep', 'minutes; events', [
        toLine('backlog', watchOwn('sweepBacklog', 'Maximum')),
        toLine('events not delivered', watchLogCount('EventsFailed')),
        toLine('synthetic calls failed', watchLogCount('SyntheticCallsFailed')),
      ]),
    ],
  },
  {
    title: 'Latency',
    widgets: [
      toWidget('Upstreams', 'ms', [
        toLine('p50', watchOwn('upstreamLatency', 'p50')),
        toLine('p99', watchOwn('upstreamLatency', 'p99')),
      ]),
      toWidget('POST to reply', 'ms', [
        toLine('p50', watchOwn('replyDelay', 'p50')),
        toLine('p99', watchOwn('replyDelay', 'p99')),
      ]),
      toWidget('Calls in the gateway, without upstreams, p99', 'ms', [
        toLine('mcp', watchOwnBy('gatewayLatency', { Door: 'mcp' }, 'p99')),
        toLine('messages', watchOwnBy('gatewayLatency', { Door: 'messages' }, 'p99')),
        toLine('execute', watchOwnBy('gatewayLatency', { Door: 'execute' }, 'p99')),
      ]),
      toWidget('Functions, p99', 'ms', [
        toLine('messages', watchDoor('messages', 'Duration', 'p99')),
        toLine('execute', watchDoor('execute', 'Duration', 'p99')),
        toLine('admin', watchDoor('admin', 'Duration', 'p99')),
        toLine('sweep', watchDoor('sweep', 'Duration', 'p99')),
        toLine('usage', watchDoor('usage', 'Duration', 'p99')),
      ]),
    ],
  },
  {
    title: 'Streams',
    widgets: [
      toWidget('Open streams', 'streams', [
        toLine('open', watchOwn('openStreams', 'Maximum')),
        toLine('moved to the partition', watchOwn('streamsMoved')),
      ]),
      toWidget('Functions running at once', 'functions', [
        toLine('sse', watchDoor('sse', 'ConcurrentExecutions', 'Maximum')),
        toLine('messages', watchDoor('messages', 'ConcurrentExecutions', 'Maximum')),
        toLine('mcp', watchDoor('mcp', 'ConcurrentExecutions', 'Maximum')),
        toLine('execute', watchDoor('execute', 'ConcurrentExecutions', 'Maximum')),
        toLine('account, reservations included', watchClaimed()),
      ]),
      toStackedWidget(
        'Refused by Lambda',
        'requests',
        toDoorLines((door) => watchDoor(door, 'Throttles')),
      ),
    ],
  },
  {
    title: 'Store',
    widgets: [
      toWidget('Throttled', 'requests', [
        toLine('Gateway, reads', watchTable('gateway', 'ReadThrottleEvents')),
        toLine('Gateway, writes', watchTable('gateway', 'WriteThrottleEvents')),
        toLine('Sessions, reads', watchTable('sessions', 'ReadThrottleEvents')),
        toLine('Sessions, writes', watchTable('sessions', 'WriteThrottleEvents')),
      ]),
      toWidget('Store latency, average', 'ms', [
        toLine('Gateway, UpdateItem', watchLatency('gateway', 'UpdateItem')),
        toLine('Gateway, BatchGetItem', watchLatency('gateway', 'BatchGetItem')),
        toLine('Sessions, UpdateItem', watchLatency('sessions', 'UpdateItem')),
        toLine('Sessions, Query', watchLatency('sessions', 'Query')),
      ]),
      toWidget('Faults seen', 'times', [
        toLine('reads repeated', watchLogCount('StoreTrouble')),
        toLine('503', watchOwnBy('refusals', { Code: 'store_unavailable' })),
      ]),
      toWidget('Admin API', 'requests', [
        toLine('requests', watchApi('Count')),
        toLine('4xx', watchApi('4XXError')),
        toLine('5xx', watchApi('5XXError')),
        toLine('without a valid credential', watchOwn('adminAuthFailures')),
        toLine('secrets not fetched', watchLogCount('AdminSecretsStale')),
        toLine('tools of MCP servers changed', watchOwn('upstreamToolsChanged')),
      ]),
    ],
  },
  {
    title: 'Cost drivers',
    widgets: [
      toStackedWidget('Function run time', 's', toDoorLines(toSecondsFormula)),
      toStackedWidget('Units written', 'units', [
        toLine('Gateway', watchTable('gateway', 'ConsumedWriteCapacityUnits')),
        toLine('Sessions', watchTable('sessions', 'ConsumedWriteCapacityUnits')),
      ]),
      toStackedWidget('Units read', 'units', [
        toLine('Gateway', watchTable('gateway', 'ConsumedReadCapacityUnits')),
        toLine('Sessions', watchTable('sessions', 'ConsumedReadCapacityUnits')),
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
  return watchOperation(table, operation, 'SuccessfulRequestLatency', 'Average')
}

/** Lambda bills memory times duration; memory is fixed, so the widget shows the duration. */
function toSecondsFormula(door: Door): Formula {
  // All lines of a widget share one name space, so each door needs names of its own.
  return { expression: `${door}ms / 1000`, named: { [`${door}ms`]: watchDoor(door, 'Duration') } }
}

function watchLogBytes(door: Door): Series {
  return { target: { of: 'log-bytes', door }, statistic: 'Sum' }
}
