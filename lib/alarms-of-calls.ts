/**
 * Alarms about what agents, users and administrators see, from the functions' own metrics: replies,
 * upstreams, secrets, money, and requests without a valid credential.
 */
import type { Alarm } from './alarm.ts'
import { watchLogCount, watchOwn, watchOwnBy } from './watch-series.ts'

const FIVE_MINUTES_SEC = 300
const FIFTEEN_MINUTES_SEC = 900
const HOUR_SEC = 3_600
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
    composite: 'AgentsHurt',
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
    composite: 'AgentsHurt',
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
    composite: 'AgentsHurt',
  },
  {
    name: 'SecretsUnreadable',
    means: 'Calls fail because secrets cannot be opened. Their users pay nothing.',
    watched: {
      // A store that does not answer has its own alarms.
      expression: 'FILL(unreadable, 0) - FILL(store, 0)',
      named: {
        unreadable: watchOwn('secretsUnreadable'),
        store: watchOwnBy('secretsUnreadable', { Why: 'store' }),
      },
    },
    is: 'at-least',
    threshold: 3,
    why: 'A refused or deleted key fails every call with a secret. One failure may be KMS not answering.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'AgentsHurt',
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
    composite: 'MoneyInDoubt',
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
    composite: 'MoneyInDoubt',
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
    composite: 'MoneyInDoubt',
  },
  {
    name: 'ChargesUnsummed',
    means:
      'Calls were charged, and the usage function did not get their charges: they are missing in pages, sums and archive.',
    watched: {
      // A charge is summed some 20 s later, so an hour may lack its last ones; two in a row may not.
      expression:
        'IF(FILL(settled, 0) > 0, 100 * (FILL(settled, 0) - FILL(summed, 0)) / FILL(settled, 1), 0)',
      named: {
        settled: watchOwn('creditsSettled'),
        summed: watchOwn('creditsSummed'),
      },
    },
    is: 'at-least',
    threshold: 10,
    why: 'The other alarms of usage ring when it fails. This one rings when nothing invokes it, as after a restored table, or when its filter drops charges.',
    periodSec: HOUR_SEC,
    periods: 2,
    missing: 'notBreaching',
    composite: 'MoneyInDoubt',
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
    composite: 'Operations',
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
    composite: 'MoneyInDoubt',
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
    composite: 'Operations',
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
    composite: 'Operations',
  },
  {
    name: 'AdminSecretsStale',
    means:
      'The admin secrets cannot be fetched. In five minutes the admin API refuses every request that has one.',
    watched: watchLogCount('AdminSecretsStale'),
    is: 'at-least',
    threshold: 1,
    why: 'A fetch that fails once is tried again, and each try is a line; but five minutes are short.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
    composite: 'Operations',
  },
]
