/** The admin routes that the first pages of the console show: sums of the last days, and health. */
import { versions } from 'node:process'
import { ok } from '../../../core/errors.ts'
import { readHealth } from '../../../core/flow/overview/read-health.ts'
import { OVERVIEW_DAYS, readOverview } from '../../../core/flow/overview/read-overview.ts'
import { SERVED_VERSIONS } from '../../../core/mcp/revisions.ts'
import { AWS_PRICES_OF } from '../../../core/usage/aws-estimate.ts'
import type { Properties, Route, Schema } from '../route.ts'
import { toAnswer } from '../route.ts'
import { AT_MS, COUNT, CREDITS_SHOWN, TEXT, toAnsweredObject } from '../schemas/field-schemas.ts'
import { CREDIT_PRICE, MONEY } from '../schemas/statement-schemas.ts'

const NUMBERS: Properties = {
  calls: COUNT,
  failed: {
    ...COUNT,
    description: 'Refunded calls that failed: all but cancelled, repeated and asking ones.',
  },
  refunded: COUNT,
  charged: CREDITS_SHOWN,
  givenBack: CREDITS_SHOWN,
}
const BUILD = { node: versions.node, revisions: SERVED_VERSIONS }
const FINDING = toAnsweredObject('HealthFinding', {
  check: TEXT,
  ok: { type: 'boolean', description: 'False if a person should act.' },
  finding: TEXT,
})
const USD: Schema = { type: 'number', minimum: 0 }

const OVERVIEW = toAnsweredObject(
  'Overview',
  {
    days: { type: 'integer', enum: OVERVIEW_DAYS },
    step: { type: 'string', enum: ['hour', 'day'] },
    sinceMs: AT_MS,
    untilMs: AT_MS,
    entries: {
      type: 'array',
      items: toAnsweredObject('OverviewEntry', { startMs: AT_MS, ...NUMBERS }),
      description: 'Every hour or day (UTC) of the span, without calls too.',
    },
    total: toAnsweredObject('OverviewTotal', NUMBERS),
    durations: {
      ...toAnsweredObject('OverviewDurations', { calls: COUNT, p50Ms: COUNT, p95Ms: COUNT }),
      description:
        'How long settled calls of shared skills took in the last 24 hours; absent without any.',
    },
    creditPrice: CREDIT_PRICE,
    attention: {
      type: 'array',
      items: FINDING,
      description: 'The findings of GET health that are not ok.',
    },
    month: toAnsweredObject(
      'OverviewMonth',
      {
        month: TEXT,
        ...NUMBERS,
        money: { ...MONEY, description: 'What was charged, in money; only with `creditPrice`.' },
        aws: {
          ...toAnsweredObject('AwsEstimate', {
            callsUsd: USD,
            stageUsd: USD,
            sumUsd: USD,
            pricesOf: { ...TEXT, description: 'The day of the price list.' },
          }),
          description:
            'What the month so far costs on AWS, estimated from the number of calls by list prices (docs/cost.md). Absent in the twin.',
        },
      },
      ['money', 'aws'],
    ),
  },
  ['durations', 'creditPrice'],
)

const SUMS_EXAMPLE = { calls: 40, failed: 1, refunded: 2, charged: 19, givenBack: 1 }

const OVERVIEW_ROUTE: Route = {
  method: 'GET',
  path: '/overview',
  operationId: 'showOverview',
  tag: 'Service',
  summary: 'Show calls, credits and durations of the last days',
  description:
    'By hour for one day, by day (UTC) for more, with the month so far. Up to a minute behind the ledger.',
  access: 'either',
  role: 'viewer',
  query: {
    days: {
      type: 'integer',
      enum: OVERVIEW_DAYS,
      default: 7,
      description: '1 is the last 24 hours.',
      'x-rule': `must be one of ${OVERVIEW_DAYS.join(', ')}`,
    },
  },
  answers: {
    200: {
      description: 'The sums.',
      shown: {
        schema: OVERVIEW,
        example: {
          days: 7,
          step: 'day',
          sinceMs: 1794700800000,
          untilMs: 1795262400000,
          entries: [{ startMs: 1794700800000, ...SUMS_EXAMPLE }],
          total: SUMS_EXAMPLE,
          durations: { calls: 38, p50Ms: 214, p95Ms: 980 },
          attention: [],
          month: {
            month: '2026-11',
            ...SUMS_EXAMPLE,
            aws: { callsUsd: 0, stageUsd: 12.98, sumUsd: 12.98, pricesOf: AWS_PRICES_OF },
          },
        },
      },
    },
  },
  refuses: [],
  run: async (ports, settings, { query }) => {
    const { creditPrice, isTwin = false } = settings
    const days = OVERVIEW_DAYS.find((one) => String(one) === query['days']) ?? 7
    // The twin knows its URL from the start, a function on AWS from each request.
    const asked = { days, price: creditPrice, isOnAws: !isTwin }
    const [overview, health] = await Promise.all([
      readOverview(ports, asked),
      readHealth(ports, settings, BUILD),
    ])
    const attention = health.findings.filter((finding) => !finding.ok)
    return toAnswer(200, ok({ ...overview, attention }))
  },
}

const ALARM = toAnsweredObject(
  'Alarm',
  {
    name: TEXT,
    state: { type: 'string', enum: ['off', 'on', 'unknown'] },
    sinceMs: { ...AT_MS, description: 'When the state began.' },
    reason: TEXT,
  },
  ['sinceMs'],
)

const HEALTH_ROUTE: Route = {
  method: 'GET',
  path: '/health',
  operationId: 'showHealth',
  tag: 'Service',
  summary: 'Show what the gateway can tell of itself',
  description:
    'A line for each check, in the words of `skillgate doctor`: store, sweep, upstreams, events, alarms, issuers, login. A check that cannot be made is a line that is not ok. Changes nothing.',
  access: 'either',
  role: 'viewer',
  answers: {
    200: {
      description: 'The findings, whether good or bad.',
      shown: {
        schema: toAnsweredObject(
          'Health',
          {
            checkedAtMs: AT_MS,
            version: TEXT,
            node: TEXT,
            revisions: {
              type: 'array',
              items: TEXT,
              description: 'Revisions of MCP that are served, newest first in each era.',
            },
            findings: {
              type: 'array',
              items: FINDING,
            },
            alarms: {
              type: 'array',
              items: ALARM,
              description: 'The alarms of the stage, by name; absent where none can be read.',
            },
          },
          ['alarms'],
        ),
        example: {
          checkedAtMs: 1795219200000,
          version: '0.2.0',
          node: '24.9.0',
          revisions: ['2026-07-28'],
          findings: [{ check: 'upstreams', ok: true, finding: 'there is no MCP server' }],
          alarms: [{ name: 'Skillgate-dev-SweepFailed', state: 'off', reason: 'no datapoints' }],
        },
      },
    },
  },
  refuses: [],
  run: async (ports, settings) => toAnswer(200, ok(await readHealth(ports, settings, BUILD))),
}

export const OVERVIEW_ROUTES: readonly Route[] = [OVERVIEW_ROUTE, HEALTH_ROUTE]
