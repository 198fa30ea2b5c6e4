/**
 * Alarms about the tables, and about the sweep, which repairs the effects of a failing store.
 * Without data, CloudWatch keeps an alarm on a DynamoDB metric in its last state, so each of these
 * alarms fills gaps with 0.
 */
import type { Alarm } from './alarm.ts'
import {
  type Operation,
  type Table,
  watchDoor,
  watchLostBatches,
  watchOperation,
  watchOwn,
  watchOwnBy,
  watchTable,
} from './watch-series.ts'

const MINUTE_SEC = 60
const FIVE_MINUTES_SEC = 300
const FIFTEEN_MINUTES_SEC = 900

export const ALARMS_OF_STORE: readonly Alarm[] = [
  {
    name: 'StoreRefusals',
    means: 'Requests get 503: the store did not answer, even after three tries by the SDK.',
    watched: watchOwnBy('refusals', { Code: 'store_unavailable' }),
    is: 'at-least',
    threshold: 5,
    why: 'A moving partition costs a request or two. Five in five minutes are a lasting fault.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  },
  toTableAlarm(
    'gateway',
    'GatewayTableFails',
    'Requests for keys, skills or credits are throttled or fail.',
    ['BatchGetItem', 'UpdateItem'],
  ),
  toTableAlarm(
    'sessions',
    'SessionsTableFails',
    'Requests for sessions or replies are throttled or fail.',
    ['Query', 'UpdateItem'],
  ),
  {
    name: 'SweepSilent',
    means: 'No sweep has ended for five minutes. Credits of crashed calls stay on hold.',
    watched: watchOwn('sweepBacklog', 'SampleCount'),
    is: 'below',
    threshold: 1,
    why: 'It ends once a minute and logs that each time, with or without a backlog.',
    periodSec: MINUTE_SEC,
    periods: 5,
    missing: 'breaching',
    composite: 'MoneyInDoubt',
  },
  {
    name: 'SweepBehind',
    means:
      'The sweep runs and does not catch up. Credits of crashed calls stay on hold for longer.',
    watched: watchOwn('sweepBacklog', 'Maximum'),
    is: 'at-least',
    threshold: 15,
    why: 'A run visits 200 minutes, so a lasting backlog of 15 means that the record of one user, or the store, fails, or that more users call than a run reaches.',
    periodSec: MINUTE_SEC,
    periods: 10,
    missing: 'notBreaching',
    composite: 'MoneyInDoubt',
  },
  {
    name: 'UsageBehind',
    means:
      'Pages, sums and archive are ten minutes behind the ledger, or a day of the trail of changes does not reach the archive.',
    watched: {
      // The daily run for the trail is tried three times within minutes, and delays no stream.
      expression: 'IF(FILL(age, 0) >= 600000 OR FILL(errors, 0) >= 3, 1, 0)',
      named: {
        age: watchDoor('usage', 'IteratorAge', 'Maximum'),
        errors: watchDoor('usage', 'Errors'),
      },
    },
    is: 'at-least',
    threshold: 1,
    why: 'A batch waits for a minute. Ten minutes mean that one fails again and again; the stream keeps it for a day.',
    periodSec: FIFTEEN_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'Operations',
  },
  {
    name: 'UsageLost',
    means:
      'A batch of the ledger was given up: it is missing in pages, sums and archive, and in no bill.',
    watched: watchLostBatches(),
    is: 'at-least',
    threshold: 1,
    why: 'It was tried for 20 hours, so only a repair adds it.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'MoneyInDoubt',
  },
]

/**
 * An alarm of a table. `operations` are those that every call makes; a table that fails at other
 * operations fails at these too.
 */
function toTableAlarm(
  table: Table,
  name: string,
  means: string,
  [read, write]: readonly [Operation, Operation],
): Alarm {
  return {
    name,
    means,
    watched: {
      expression:
        'FILL(readthrottles, 0) + FILL(writethrottles, 0) + FILL(readerrors, 0) + FILL(writeerrors, 0)',
      named: {
        readthrottles: watchTable(table, 'ReadThrottleEvents'),
        writethrottles: watchTable(table, 'WriteThrottleEvents'),
        readerrors: watchOperation(table, read, 'SystemErrors'),
        writeerrors: watchOperation(table, write, 'SystemErrors'),
      },
    },
    is: 'at-least',
    threshold: 5,
    why: 'The SDK tries three times, so single faults do not show. Five a minute, in three of five minutes, do.',
    periodSec: MINUTE_SEC,
    periods: 5,
    wrong: 3,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  }
}
