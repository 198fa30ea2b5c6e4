/**
 * Alarms about what agents and users see, from the doors' own metrics: replies, upstreams, money,
 * and who knocks without a key.
 */
import type { Alarm } from './alarm.ts'
import { countOf, ofApi, own, ownBy } from './watch-series.ts'

const FIVE_MINUTES_SEC = 300
const FIFTEEN_MINUTES_SEC = 900
const UNANSWERED_MS = 16_000

export const ALARMS_OF_CALLS: readonly Alarm[] = [
  {
    name: 'RepliesSlow',
    means: 'Agents wait for replies until the stream gives them an error in their place.',
    watched: own('replyDelay', 'p99'),
    is: 'at-least',
    threshold: UNANSWERED_MS,
    why: 'The slowest call is cut at 15 s, and at 16 s the stream answers: no reply of ours comes later.',
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
      // Each call of an upstream gives one latency, the cut ones too. Below 20 a rate says nothing.
      expression: 'IF(tried >= 20, 100 * (FILL(failed, 0) + FILL(cut, 0)) / tried, 0)',
      named: {
        tried: own('upstreamLatency', 'SampleCount'),
        failed: ownBy('refusals', { Code: 'upstream_failed' }),
        cut: ownBy('refusals', { Code: 'timed_out' }),
      },
    },
    is: 'at-least',
    threshold: 50,
    why: 'One upstream that is down is its owner’s trouble; half of all calls are a network, or ours.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 3,
    missing: 'notBreaching',
  },
  {
    name: 'InternalErrors',
    means: 'Requests get 500: a bug of ours, or a record that this build cannot read.',
    watched: ownBy('refusals', { Code: 'internal' }),
    is: 'at-least',
    threshold: 5,
    why: 'Each is a bug, but one that a single request meets can wait for the morning.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'FreeByCrash',
    means: 'Calls were given away: their functions died before their outcome was written.',
    watched: own('freeByCrash'),
    is: 'at-least',
    threshold: 3,
    why: 'Near 0 in health, 1 in 10,000 calls at most. Three in a quarter of an hour have one cause.',
    periodSec: FIFTEEN_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'ChargesInDoubt',
    means: 'Somebody may have been charged for a call that they were told had failed.',
    watched: countOf('ChargesInDoubt'),
    is: 'at-least',
    threshold: 1,
    why: 'It must not happen, so one is enough. Each names its call.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'ManyVoids',
    means:
      'Many settled calls were made free: answers come too late, or somebody has learnt to cancel.',
    watched: {
      // Each void and each settled call gives one value, so their count is a count of calls.
      expression: 'IF(voided >= 20, 100 * voided / (voided + FILL(settled, 0)), 0)',
      named: {
        voided: own('creditsVoided', 'SampleCount'),
        settled: own('creditsSettled', 'SampleCount'),
      },
    },
    is: 'at-least',
    threshold: 10,
    why: 'A void needs an answer later than 16 s or a cancelled request: a few in a thousand calls.',
    periodSec: FIFTEEN_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
  {
    name: 'UnknownKeys',
    means:
      'Many requests come with a wrong key: a busy client whose key expired, or somebody who tries.',
    watched: ownBy('refusals', { Code: 'unauthenticated' }),
    is: 'at-least',
    threshold: 300,
    why: 'One a second for ten minutes. Nobody guesses 256 bits, but each try costs a request.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 2,
    missing: 'notBreaching',
  },
  {
    name: 'AdminRefused',
    means: 'The admin API refuses many requests: a rotated secret, or somebody who tries.',
    watched: ofApi('4XXError'),
    is: 'at-least',
    threshold: 20,
    why: 'Administrators send few requests, and theirs are seldom wrong. Twenty are a machine.',
    periodSec: FIVE_MINUTES_SEC,
    periods: 1,
    missing: 'notBreaching',
  },
]
