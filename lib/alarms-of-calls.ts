/**
 * Alarms about what agents and users see, from the functions' own metrics: replies, upstreams,
 * money, and requests without a valid key.
 */
import type { Alarm } from './alarm.ts'
import { watchApi, watchLogCount, watchOwn, watchOwnBy } from './watch-series.ts'

const FIVE_MINUTES_SEC = 300
const FIFTEEN_MINUTES_SEC = 900
const UNANSWERED_MS = 16_000

export const ALARMS_OF_CALLS: readonly Alarm[] = [
  {
    name: 'RepliesSlow',
    means: 'Agents wait for replies until the stream answers with an error.',
    watched: watchOwn('replyDelay', 'p99'),
    is: 'at-least',
    threshold: UNANSWERED_MS,
    why: 'Calls are cut at 15 s, and at 16 s the stream answers, so no reply comes later.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 3,
    wrong: 2,
    missing: 'notBreaching',
  },
  {
    name: 'UpstreamsFail',
    means:
      'Half of the calls fail at their upstreams or are cut at 15 s. They cost their users nothing.',
    watched: {
      // Each upstream call gives one latency, and so does a call that was ended. Below 20 calls a
      // rate means little.
      expression: 'IF(tried >= 20, 100 * (FILL(failed, 0) + FILL(cut, 0)) / tried, 0)',
      named: {
        tried: watchOwn('upstreamLatency', 'SampleCount'),
        failed: watchOwnBy('refusals', { Code: 'upstream_failed' }),
        cut: watchOwnBy('refusals', { Code: 'timed_out' }),
      },
    },
    is: 'at-least',
    threshold: 50,
    why: 'A single failing upstream is its owner’s concern; half of all calls point at a network, or at the gateway.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 3,
    missing: 'notBreaching',
  },
  {
    name: 'InternalErrors',
    means: 'Requests get 500: a bug in the gateway, or a record that this build cannot read.',
    watched: watchOwnBy('refusals', { Code: 'internal' }),
    is: 'at-least',
    threshold: 5,
    why: 'Each is a bug, but one that hits a single request can wait for the morning.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'FreeByCrash',
    means: 'Calls were free: their functions died before they wrote an outcome.',
    watched: watchOwn('freeByCrash'),
    is: 'at-least',
    threshold: 3,
    why: 'Normally near 0, at most 1 in 10,000 calls. Three in a quarter of an hour share a cause.',
    periodSec: FIFTEEN_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'ChargesInDoubt',
    means: 'A user may have been charged for a call that was reported as failed.',
    watched: watchLogCount('ChargesInDoubt'),
    is: 'at-least',
    threshold: 1,
    why: 'It must never happen, so one is enough. Each log line names its call.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'OutcomesUnwritten',
    means:
      'Calls ended and their outcome could not be written: successes are free, refunds come with the sweep.',
    watched: watchLogCount('OutcomesUnwritten'),
    is: 'at-least',
    threshold: 3,
    why: 'The store tries three times for each write. One lost answer in an hour is noise; three in five minutes are not.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'EventsFailed',
    means:
      'Events were not delivered to the webhook or event bus in six hours, and are no longer tried.',
    watched: watchLogCount('EventsFailed'),
    is: 'at-least',
    threshold: 1,
    why: 'Each is a low balance or a reached budget that nobody was told of.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'ManyVoids',
    means:
      'Many settled calls were made free: answers come too late, or a client abuses cancellation.',
    watched: {
      // Each void and each settled call gives one value, so the counts are numbers of calls.
      expression: 'IF(voided >= 20, 100 * voided / (voided + FILL(settled, 0)), 0)',
      named: {
        voided: watchOwn('creditsVoided', 'SampleCount'),
        settled: watchOwn('creditsSettled', 'SampleCount'),
      },
    },
    is: 'at-least',
    threshold: 10,
    why: 'Only an answer after 16 s or a cancelled request causes a void: a few in a thousand calls.',
    periodSec: FIFTEEN_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'UnknownKeys',
    means: 'Many requests have a wrong key: a busy client whose key expired, or somebody guessing.',
    watched: watchOwnBy('refusals', { Code: 'unauthenticated' }),
    is: 'at-least',
    threshold: 300,
    why: 'One per second for ten minutes. 256 bits cannot be guessed, but each try costs a request.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 2,
    missing: 'notBreaching',
  },
  {
    name: 'AdminRefused',
    means: 'The admin API refuses many requests: a rotated secret, or somebody guessing.',
    watched: watchApi('4XXError'),
    is: 'at-least',
    threshold: 20,
    why: 'Administrators send few requests, which are seldom wrong. Twenty come from a program.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'UpstreamToolsChanged',
    means:
      'An MCP server changed, added or removed tools, or gave no list of them three times in a row.',
    watched: watchOwn('upstreamToolsChanged'),
    is: 'at-least',
    threshold: 1,
    why: 'Changed tools are held until somebody approves them, and agents get refusals meanwhile.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'AdminAuthFailed',
    means:
      'Many requests to the admin API have no valid credential; the log counts them by address.',
    watched: watchOwn('adminAuthFailures'),
    is: 'at-least',
    threshold: 20,
    why: 'A person mistypes a key a few times. Twenty in five minutes come from a program.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
]
