/**
 * Alarms about the functions themselves: crashes, throttling, slowness, lack of concurrency. Two
 * functions have no crash alarm: admin has the 5xx alarm of its API, and sweep the alarm of missing
 * runs.
 */
import type { Alarm } from './alarm.ts'
import type { Door, FunctionName } from './doors.ts'
import { watchAccount, watchApi, watchDoor, watchLogCount } from './watch-series.ts'

const MINUTE_SEC = 60
const FIVE_MINUTES_SEC = 300
/**
 * Longest duration of a call: the gateway ends a call at 15 s, and at 16 s the stream answers for
 * it.
 */
const CALL_AND_ANSWER_MS = 16_000

export const ALARMS_OF_DOORS: readonly Alarm[] = [
  toCrashAlarm('sse', 'Streams break off, or cannot be opened.'),
  toCrashAlarm('messages', 'Requests of agents get no answer but the error that comes after 16 s.'),
  toCrashAlarm(
    'mcp',
    'Requests of agents over Streamable HTTP get a 502, and their listen streams break off. Credits of running calls come back with the sweep.',
  ),
  toCrashAlarm('execute', 'Calls break off. Their credits come back with the sweep.'),
  {
    name: 'FunctionsDied',
    means: 'Functions of any door timed out, ran out of memory or exited.',
    watched: watchLogCount('FunctionsDied'),
    is: 'at-least',
    threshold: 3,
    why: 'The functions catch their errors, so a crash is rare. A single one may be AWS removing an environment.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  toThrottleAlarm('sse', 'Agents get 429 from Lambda itself; some clients never retry.'),
  toThrottleAlarm('messages', 'Accepted requests find no function, and their agents get an error.'),
  toThrottleAlarm('mcp', 'Agents over Streamable HTTP get 429 from Lambda itself.'),
  toThrottleAlarm(
    'execute',
    'Calls find no function: 429 for REST callers, a failed tool for agents of HTTP+SSE.',
  ),
  toSlowAlarm(
    'messages',
    'Requests are answered by the stream, with an error, before messages has answered.',
  ),
  toSlowAlarm(
    'execute',
    'Calls end after their caller was told that they failed, and are made free.',
  ),
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
  },
  {
    name: 'AccountFull',
    means:
      'All functions of the account and region, of other programs too, use up its concurrency.',
    watched: watchAccount(),
    is: 'at-least',
    threshold: { of: 'account', share: 0.8 },
    why: 'At 100 % Lambda refuses what has no reservation: the sweep, the usage function, other programs.',
    periodSec: MINUTE_SEC,
    periods: 5,
    missing: 'notBreaching',
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
  }
}

/**
 * An alarm of a slow function. An upstream alone cannot raise it, because calls are ended at 15 s.
 */
function toSlowAlarm(door: Door, means: string): Alarm {
  return {
    name: `${toTitle(door)}Slow`,
    means,
    watched: watchDoor(door, 'Duration', 'p99'),
    is: 'at-least',
    threshold: CALL_AND_ANSWER_MS,
    why: 'Upstreams are cut at 15 s; more time is spent after them, usually on the store.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 3,
    missing: 'notBreaching',
  }
}

function toTitle(door: FunctionName): string {
  return door.charAt(0).toUpperCase() + door.slice(1)
}
