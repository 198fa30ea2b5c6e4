/** GET usage: sums of calls and credits, by one or two of skill, user, key, day and month. */
import { ok } from '../../../core/errors.ts'
import { readUsage, type Usage } from '../../../core/flow/usage/read-usage.ts'
import { writeUsageCsv, writeUsageNdjson } from '../../../core/flow/usage/usage-text.ts'
import { REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import type { Settings } from '../../../core/settings.ts'
import { type Dimensions, parseDimensions, USAGE_BY } from '../../../core/usage/usage-dimensions.ts'
import type { AdminPorts, Properties, Route, RouteAnswer, RoutedRequest } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SKILL_ID,
  SOURCE,
  TEXT,
  toAnsweredObject,
  UID,
} from '../schemas/field-schemas.ts'
import { TIME } from './call-routes.ts'
import { CREDIT_PRICE, MONEY } from './statement-routes.ts'

const FORMATS = ['json', 'csv', 'ndjson'] as const

const NUMBERS: Properties = {
  calls: COUNT,
  settled: COUNT,
  refunded: COUNT,
  charged: { ...CREDITS_SHOWN, description: 'Credits that the settled calls cost.' },
  money: { ...MONEY, description: 'The same in money, rounded once; only with `creditPrice`.' },
  givenBack: { ...CREDITS_SHOWN, description: 'Credits that were refunded.' },
  durationMs: COUNT,
  reasons: {
    type: 'object',
    description: 'How many were refunded for each reason.',
    properties: Object.fromEntries(REFUND_REASONS.map((reason) => [reason, COUNT])),
  },
}

const ENTRY = toAnsweredObject(
  'UsageEntry',
  { skillId: TEXT, source: SOURCE, uid: TEXT, keyId: TEXT, day: TEXT, month: TEXT, ...NUMBERS },
  ['skillId', 'source', 'uid', 'keyId', 'day', 'month', 'money'],
)

const EXAMPLE_NUMBERS = {
  calls: 2,
  settled: 1,
  refunded: 1,
  charged: 0.5,
  givenBack: 0.5,
  durationMs: 430,
  reasons: { upstream_failed: 1 },
}
const EXAMPLE_ENTRY = { skillId: 'sg_weather', source: 'official', ...EXAMPLE_NUMBERS } as const

export const USAGE_ROUTE: Route = {
  method: 'GET',
  path: '/usage',
  operationId: 'showUsage',
  role: 'viewer',
  tag: 'Calls',
  summary: 'Add up calls and credits',
  description:
    'Sums of the calls that started between since and until: whole hours of UTC, five years at most, or 366 days where each day is an entry; today without either. They agree with the ledger and are up to a minute behind it. With two words in `by`, `totals` has the sums of the first. CSV and NDJSON have no totals.',
  access: 'either',
  query: {
    by: {
      type: 'string',
      enum: USAGE_BY,
      default: 'day',
      description: 'What each entry is about.',
      'x-rule': 'must be one or two of skill, user, key, day, month, with a comma between them',
    },
    user: { ...UID, description: 'Only calls of this user.' },
    skill: { ...SKILL_ID, description: 'Only calls of this skill.' },
    since: { ...TIME, description: 'From this hour on.' },
    until: { ...TIME, description: 'Up to this hour, which is not included.' },
    format: {
      type: 'string',
      enum: FORMATS,
      default: 'json',
      'x-rule': `must be one of ${FORMATS.join(', ')}`,
    },
  },
  answers: {
    200: {
      description: 'The sums, in the order of their names.',
      shown: {
        schema: toAnsweredObject(
          'Usage',
          {
            by: { type: 'string', enum: USAGE_BY },
            sinceMs: AT_MS,
            untilMs: AT_MS,
            creditPrice: CREDIT_PRICE,
            entries: { type: 'array', items: ENTRY },
            totals: {
              type: 'array',
              items: ENTRY,
              description: 'Sums of the first of two words in `by`.',
            },
            total: toAnsweredObject('UsageTotal', NUMBERS, ['money']),
          },
          ['creditPrice', 'totals'],
        ),
        example: {
          by: 'skill',
          sinceMs: 1795219200000,
          untilMs: 1795305600000,
          entries: [EXAMPLE_ENTRY],
          total: EXAMPLE_NUMBERS,
        },
      },
      texts: {
        'text/csv': writeUsageCsv(['skill'], [EXAMPLE_ENTRY]),
        'application/x-ndjson': `${JSON.stringify(EXAMPLE_ENTRY)}\n`,
      },
    },
  },
  refuses: [],
  run: (ports, settings, { query }) => answerUsage(ports, settings, query),
}

/** Adds up, and answers in the format that the query names. */
export async function answerUsage(
  ports: AdminPorts,
  { creditPrice }: Settings,
  query: RoutedRequest['query'],
): Promise<RouteAnswer> {
  const { since, skill, until, user } = query
  const by = parseDimensions(query['by'] ?? '') ?? ['day']
  const usage = await readUsage(ports, { by, since, until, skill, user }, creditPrice)
  return usage.ok ? formatUsage(query, by, usage.value) : usage
}

function formatUsage(query: RoutedRequest['query'], by: Dimensions, usage: Usage): RouteAnswer {
  switch (query['format']) {
    case 'csv': {
      const currency = usage.creditPrice?.currency
      return toTextAnswer('text/csv', writeUsageCsv(by, usage.entries, currency))
    }
    case 'ndjson':
      return toTextAnswer('application/x-ndjson', writeUsageNdjson(usage.entries))
    default:
      return ok({ status: 200, body: usage })
  }
}

function toTextAnswer(type: string, body: string): RouteAnswer {
  return ok({ status: 200, body, headers: { 'content-type': `${type}; charset=utf-8` } })
}
