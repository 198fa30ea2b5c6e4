/** GET calls and GET calls/{callId}: the records of ended calls. */
import { listCalls } from '../../../core/flow/usage/list-calls.ts'
import { showCall } from '../../../core/flow/usage/show-call.ts'
import { CALL_DOORS, PHASES } from '../../../core/ledger/call-facts.ts'
import { REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import { CALLS_PAGE_DEFAULT, CALLS_PAGE_MAX } from '../../../core/usage/limits.ts'
import { computeKeptSince, TIME_PATTERN, TIME_RULE } from '../../../core/usage/time-span.ts'
import { EXAMPLE_KEPT_SINCE_MS, toKeptPageSchema, withKeptSince } from '../kept-calls.ts'
import { type Properties, type Route, type Schema, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SKILL_ID,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toPageQuery,
  UID,
} from '../schemas/field-schemas.ts'

export const TIME: Schema = {
  type: 'string',
  pattern: TIME_PATTERN,
  examples: ['2026-11-22'],
  'x-rule': TIME_RULE,
}

/** Largest accepted value, in milliseconds: a day. No call lasts longer. */
const DURATION_FILTER_MAX_MS = 86_400_000
const OUTCOMES = ['settled', 'refunded', ...REFUND_REASONS]

const CALL_FIELDS: Properties = {
  callId: TEXT,
  uid: TEXT,
  skillId: TEXT,
  source: SOURCE,
  skillVersion: COUNT,
  outcome: { type: 'string', enum: ['settled', 'refunded'] },
  reason: { type: 'string', enum: REFUND_REASONS },
  price: CREDITS_SHOWN,
  charged: { ...CREDITS_SHOWN, description: 'Credits that it cost in the end.' },
  startedAtMs: AT_MS,
  durationMs: COUNT,
  upstreamStatus: COUNT,
  keyId: { ...TEXT, description: 'As in the list of keys.' },
  door: { type: 'string', enum: CALL_DOORS },
}
const OPTIONAL_FIELDS = [
  'skillId',
  'source',
  'skillVersion',
  'reason',
  'upstreamStatus',
  'keyId',
  'door',
]

const CALL = toAnsweredObject('Call', CALL_FIELDS, OPTIONAL_FIELDS)
const OPTIONAL_DETAILS = [
  'username',
  'client',
  'clientCallId',
  'upstreamHost',
  'traceId',
  'secretsUsed',
  'phasesMs',
  'excerpt',
]

const CALL_DETAIL = toAnsweredObject(
  'CallDetail',
  {
    ...CALL_FIELDS,
    username: TEXT,
    explanation: { ...TEXT, description: 'Why the call ended so, in a sentence.' },
    endedAtMs: AT_MS,
    client: { ...TEXT, description: 'Name and version as the client gave them, shortened.' },
    clientCallId: { ...TEXT, description: 'The id that the model gave the call, shortened.' },
    upstreamHost: TEXT,
    traceId: TEXT,
    secretsUsed: TEXT,
    phasesMs: {
      type: 'object',
      description: 'Milliseconds of each phase; those of the upstream are of its last request.',
      properties: Object.fromEntries(PHASES.map((phase) => [phase, COUNT])),
    },
    excerpt: { ...TEXT, description: 'The start of the answer to a failed call, without secrets.' },
  },
  [...OPTIONAL_FIELDS, ...OPTIONAL_DETAILS],
)

const EXAMPLE = {
  callId: '1q6a0k000-c1',
  uid: 'ada',
  skillId: 'sg_weather',
  source: 'official',
  skillVersion: 3,
  outcome: 'refunded',
  reason: 'upstream_failed',
  price: 0.5,
  charged: 0,
  startedAtMs: 1795219200000,
  durationMs: 412,
  upstreamStatus: 503,
  keyId: 'E9M1ZkSTZUUJSJ6qgH1C0V5o7GcX9mJ0f5sJ3w1k2aQ',
  door: 'mcp',
}

const LIST_ROUTE: Route = {
  method: 'GET',
  path: '/calls',
  operationId: 'listCalls',
  role: 'viewer',
  tag: 'Calls',
  summary: 'List ended calls, newest first',
  description:
    'Calls of the last day, or of the span between since and until, 31 days at most. Calls that were refused before their price was held are in the log only.',
  access: 'either',
  query: {
    user: UID,
    skill: SKILL_ID,
    outcome: {
      type: 'string',
      enum: OUTCOMES,
      description: 'settled, refunded, or the reason of a refund.',
      'x-rule': `must be one of ${OUTCOMES.join(', ')}`,
    },
    since: { ...TIME, description: 'Calls that started at this time or later.' },
    until: { ...TIME, description: 'Calls that started before this time.' },
    min_ms: {
      type: 'integer',
      minimum: 0,
      maximum: DURATION_FILTER_MAX_MS,
      description: 'Calls that lasted at least so long.',
      'x-rule': `must be a whole number from 0 to ${DURATION_FILTER_MAX_MS}`,
    },
    ...toPageQuery({ max: CALLS_PAGE_MAX, otherwise: CALLS_PAGE_DEFAULT }),
  },
  answers: {
    200: {
      description: 'A page of calls. One that is not full may have a cursor all the same.',
      shown: {
        schema: toKeptPageSchema('CallPage', 'calls', CALL),
        example: { calls: [EXAMPLE], keptSinceMs: EXAMPLE_KEPT_SINCE_MS },
      },
    },
  },
  refuses: [],
  run: async (ports, settings, { query }) =>
    toAnswer(200, withKeptSince(ports, settings, await listCalls(ports, query))),
}

const CALL_ID: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,128}$',
  examples: ['1q6a0k000-c1'],
  description: 'Id of a call.',
  'x-rule': 'must be 1 to 128 characters of A-Z, a-z, 0-9, - and _',
}

const SHOW_ROUTE: Route = {
  method: 'GET',
  path: '/calls/{callId}',
  operationId: 'showCall',
  role: 'viewer',
  tag: 'Calls',
  summary: 'Show everything about one call',
  access: 'either',
  params: { callId: CALL_ID },
  query: { user: { ...UID, description: 'The caller; finds the call sooner.' } },
  answers: {
    200: {
      description: 'The call.',
      shown: {
        schema: CALL_DETAIL,
        example: {
          ...EXAMPLE,
          username: 'ada',
          explanation:
            'The upstream failed, or its answer could not be used. It answered 503. The price was given back.',
          endedAtMs: 1795219200412,
          client: 'claude-desktop/1.24.3',
          upstreamHost: 'api.weather.example',
          traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
          phasesMs: {
            auth: 4,
            limits: 6,
            hold: 7,
            connect: 41,
            firstByte: 340,
            body: 2,
            answer: 12,
          },
          excerpt: '{"error":"overloaded"}',
        },
      },
    },
  },
  refuses: ['not_found'],
  run: async (ports, settings, { params, query }) => {
    const keptSinceMs = computeKeptSince(ports.clock.nowMs(), settings)
    const call = { uid: query['user'], callId: params['callId'] ?? '', keptSinceMs }
    return toAnswer(200, await showCall(ports, call))
  },
}

export const CALL_ROUTES: readonly Route[] = [LIST_ROUTE, SHOW_ROUTE]
