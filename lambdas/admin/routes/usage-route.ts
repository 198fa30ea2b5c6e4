/** GET usage: sums of calls and credits, by skill, user, key or day. */
import { ok } from '../../../core/errors.ts'
import { readUsage, USAGE_BY, type UsageBy } from '../../../core/flow/usage/read-usage.ts'
import { writeUsageCsv, writeUsageNdjson } from '../../../core/flow/usage/usage-text.ts'
import { REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import type { Route, RouteAnswer, RoutedRequest } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
} from '../schemas/field-schemas.ts'
import { TIME } from './call-routes.ts'

const FORMATS = ['json', 'csv', 'ndjson'] as const

const ENTRY = toAnsweredObject(
  'UsageEntry',
  {
    skillId: TEXT,
    source: SOURCE,
    uid: TEXT,
    keyId: TEXT,
    day: TEXT,
    calls: COUNT,
    settled: COUNT,
    refunded: COUNT,
    charged: { ...CREDITS_SHOWN, description: 'Credits that the settled calls cost.' },
    givenBack: { ...CREDITS_SHOWN, description: 'Credits that were refunded.' },
    durationMs: COUNT,
    reasons: {
      type: 'object',
      description: 'How many were refunded for each reason.',
      properties: Object.fromEntries(REFUND_REASONS.map((reason) => [reason, COUNT])),
    },
  },
  ['skillId', 'source', 'uid', 'keyId', 'day'],
)

const EXAMPLE_ENTRY = {
  skillId: 'sg_weather',
  source: 'official',
  calls: 2,
  settled: 1,
  refunded: 1,
  charged: 0.5,
  givenBack: 0.5,
  durationMs: 430,
  reasons: { upstream_failed: 1 },
}

export const USAGE_ROUTE: Route = {
  method: 'GET',
  path: '/usage',
  operationId: 'showUsage',
  role: 'viewer',
  tag: 'Calls',
  summary: 'Add up calls and credits',
  description:
    'Sums of the calls that started between since and until: whole hours of UTC, 92 days at most; today without either. They agree with the ledger and are up to a minute behind it.',
  access: 'either',
  query: {
    by: {
      type: 'string',
      enum: USAGE_BY,
      default: 'day',
      description: 'What each entry is about.',
      'x-rule': `must be one of ${USAGE_BY.join(', ')}`,
    },
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
        schema: toAnsweredObject('Usage', {
          by: { type: 'string', enum: USAGE_BY },
          sinceMs: AT_MS,
          untilMs: AT_MS,
          entries: { type: 'array', items: ENTRY },
        }),
        example: {
          by: 'skill',
          sinceMs: 1795219200000,
          untilMs: 1795305600000,
          entries: [EXAMPLE_ENTRY],
        },
      },
      texts: {
        'text/csv': writeUsageCsv('skill', [{ ...EXAMPLE_ENTRY, source: 'official' }]),
        'application/x-ndjson': `${JSON.stringify(EXAMPLE_ENTRY)}\n`,
      },
    },
  },
  refuses: [],
  run: async (ports, _settings, request) => {
    const { query } = request
    const by = USAGE_BY.find((one) => one === query['by']) ?? 'day'
    const usage = await readUsage(ports, by, { since: query['since'], until: query['until'] })
    return usage.ok ? formatUsage(request, by, usage.value) : usage
  },
}

type Usage = Extract<Awaited<ReturnType<typeof readUsage>>, { ok: true }>['value']

function formatUsage({ query }: RoutedRequest, by: UsageBy, usage: Usage): RouteAnswer {
  switch (query['format']) {
    case 'csv':
      return toTextAnswer('text/csv', writeUsageCsv(by, usage.entries))
    case 'ndjson':
      return toTextAnswer('application/x-ndjson', writeUsageNdjson(usage.entries))
    default:
      return ok({ status: 200, body: usage })
  }
}

function toTextAnswer(type: string, body: string): RouteAnswer {
  return ok({ status: 200, body, headers: { 'content-type': `${type}; charset=utf-8` } })
}
