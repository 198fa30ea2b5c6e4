/**
 * Alarms about the functions themselves: crashes, throttling, slowness, lack of concurrency. Crashes
 * of admin, sweep and usage have other alarms: the 5xx alarm of the API, that of missing runs, and
 * UsageBehind.
 */
import type { Alarm } from './alarm.ts'
import type { FunctionName } from './doors.ts'
import { watchApi, watchClaimed, watchDoor, watchLogCount, watchOwnBy } from './watch-series.ts'

const MINUTE_SEC = 60
const FIVE_MINUTES_SEC = 300
/** Time of a call in the gateway itself that agents notice. */
const OWN_TIME_MS = 2_000

export const ALARMS_OF_DOORS: readonly Alarm[] = [
  {
    name: 'FunctionsDied',
    means:
      'Functions that agents wait for timed out, ran out of memory, exited or did not start. Streams and calls break off.',
    watched: watchLogCount('FunctionsDied'),
    is: 'at-least',
    threshold: 3,
    why: 'The functions catch their errors, so a crash is rare. A single one may be AWS removing an environment.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  },
  {
    name: 'UrlsFail',
    means: 'Requests of agents get a 5xx answer that is not the failure of an upstream.',
    watched: {
      // Over REST a failed call is a 502 or 504. Those of /mcp count here, too, although their
      // answer is a 200, so this is the least number of the gateway's own failures.
      expression:
        'FILL(sse, 0) + FILL(mcp, 0) + IF(FILL(execute, 0) > FILL(failed, 0) + FILL(cut, 0), FILL(execute, 0) - FILL(failed, 0) - FILL(cut, 0), 0)',
      named: {
        sse: watchDoor('sse', 'Url5xxCount'),
        mcp: watchDoor('mcp', 'Url5xxCount'),
        execute: watchDoor('execute', 'Url5xxCount'),
        failed: watchOwnBy('refusals', { Code: 'upstream_failed' }),
        cut: watchOwnBy('refusals', { Code: 'timed_out' }),
      },
    },
    is: 'at-least',
    threshold: 5,
    why: 'AWS counts these itself, so they show when the functions cannot: a crash, a failed start, a broken release.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  },
  toThrottleAlarm('sse', 'Agents get 429 from Lambda itself; some clients never retry.'),
  toThrottleAlarm('messages', 'Accepted requests find no function, and their agents get an error.'),
  toThrottleAlarm('mcp', 'Agents over Streamable HTTP get 429 from Lambda itself.'),
  toThrottleAlarm('execute', 'Calls find no function: 429 for REST callers.'),
  toSlowAlarm('messages', 'Calls of agents over HTTP+SSE wait for the gateway itself.'),
  toSlowAlarm('mcp', 'Calls of agents over Streamable HTTP wait for the gateway itself.'),
  toSlowAlarm('execute', 'Calls over REST wait for the gateway itself.'),
  {
    name: 'SseFull',
    means: 'Streams and POSTs use up the concurrency that the sse function has.',
    watched: watchDoor('sse', 'ConcurrentExecutions', 'Maximum'),
    is: 'at-least',
    threshold: { of: 'sse', share: 0.8 },
    why: 'Streams may use 70 % of it. At 80 % POSTs use half of the rest.',
    periodSec: MINUTE_SEC,
    periods: 5,
    missing: 'notBreaching',
    composite: 'Operations',
  },
  {
    name: 'McpFull',
    means: 'Listen streams and running calls use up the concurrency that the mcp function has.',
    watched: watchDoor('mcp', 'ConcurrentExecutions', 'Maximum'),
    is: 'at-least',
    threshold: { of: 'mcp', share: 0.8 },
    why: 'Listen streams share their 70 % with SSE streams; at 80 % calls, which wait here for up to 15 s, soon find no room.',
    periodSec: MINUTE_SEC,
    periods: 5,
    missing: 'notBreaching',
    composite: 'Operations',
  },
  {
    name: 'AccountFull',
    means:
      'Functions without a reservation, of other programs too, use up what reservations leave of the concurrency of account and region.',
    watched: watchClaimed(),
    is: 'at-least',
    threshold: { of: 'unreserved', share: 0.8 },
    why: 'At 100 % Lambda refuses what has no reservation: the sweep, the usage function, other programs. The metric counts reservations as in use, whether they are or not.',
    periodSec: MINUTE_SEC,
    periods: 5,
    missing: 'notBreaching',
    composite: 'Operations',
  },
  {
    name: 'AdminApiFailed',
    means: 'The admin API answers 5xx: its function failed, timed out or found no store.',
    watched: watchApi('5XXError'),
    is: 'at-least',
    threshold: 3,
    why: 'Administrators send few requests: three failures in five minutes have a cause.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'Operations',
  },
]

/** The alarms that only a stage with private hosts has. */
export const ALARMS_OF_CALLER: readonly Alarm[] = [
  toCrashAlarm('caller', 'Calls to private hosts break off. Their credits are given back.'),
  toThrottleAlarm('caller', 'Calls to private hosts find no function and fail; nothing was sent.'),
]

function toCrashAlarm(door: FunctionName, means: string): Alarm {
  return {
    name: `${toTitle(door)}Errors`,
    means,
    watched: watchDoor(door, 'Errors'),
    is: 'at-least',
    threshold: 3,
    why: 'The functions catch their errors, so Lambda counts only failed starts, crashes and timeouts.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  }
}

function toThrottleAlarm(door: FunctionName, means: string): Alarm {
  return {
    name: `${toTitle(door)}Throttles`,
    means,
    watched: watchDoor(door, 'Throttles'),
    is: 'at-least',
    threshold: 1,
    why: 'A burst passes within a minute. Three minutes of five mean a lack of concurrency.',
    periodSec: MINUTE_SEC,
    periods: 5,
    wrong: 3,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  }
}

/**
 * An alarm of the time that calls spend in the gateway. An upstream alone cannot raise it, because
 * its time is not counted.
 */
function toSlowAlarm(door: 'execute' | 'mcp' | 'messages', means: string): Alarm {
  return {
    name: `${toTitle(door)}Slow`,
    means,
    watched: watchOwnBy('gatewayLatency', { Door: door }, 'p99'),
    is: 'at-least',
    threshold: OWN_TIME_MS,
    why: 'A call takes the gateway some 50 ms, and up to 0.6 s in a new environment. At 2 s it waits for the store, for KMS or for CPU.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 3,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
  }
}

function toTitle(door: FunctionName): string {
  return door.charAt(0).toUpperCase() + door.slice(1)
}
