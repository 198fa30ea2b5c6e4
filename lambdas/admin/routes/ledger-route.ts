/** GET users/{uid}/ledger: a user's calls and their charges. */
import { showLedger } from '../../../core/flow/users/read-ledger.ts'
import { REFUND_REASONS } from '../../../core/ledger/ledger.ts'
import { LEDGER_PAGE_DEFAULT, LEDGER_PAGE_MAX } from '../../../core/ledger/limits.ts'
import { EXAMPLE_KEPT_SINCE_MS, toKeptPageSchema, withKeptSince } from '../kept-calls.ts'
import { type Route, readPageQuery, readUid, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toPageQuery,
  UID,
} from '../schemas/field-schemas.ts'

export const LEDGER_ENTRY = toAnsweredObject(
  'LedgerEntry',
  {
    callId: TEXT,
    skillId: TEXT,
    source: SOURCE,
    skillVersion: COUNT,
    state: { type: 'string', enum: ['held', 'settled', 'refunded'] },
    amount: { ...CREDITS_SHOWN, description: 'Price of the call.' },
    charged: { ...CREDITS_SHOWN, description: 'Credits that it cost in the end.' },
    reason: { type: 'string', enum: REFUND_REASONS },
    createdAtMs: AT_MS,
    endedAtMs: AT_MS,
    durationMs: COUNT,
    upstreamStatus: COUNT,
  },
  ['skillId', 'source', 'skillVersion', 'reason', 'endedAtMs', 'durationMs', 'upstreamStatus'],
)

export const LEDGER_ROUTE: Route = {
  method: 'GET',
  path: '/users/{uid}/ledger',
  operationId: 'showLedger',
  tag: 'Users',
  summary: 'List calls with their charges and refunds',
  description:
    'The ledger and usage of a user: calls on hold first, then ended calls, newest first.',
  access: 'either',
  role: 'viewer',
  params: { uid: UID },
  query: toPageQuery({ max: LEDGER_PAGE_MAX, otherwise: LEDGER_PAGE_DEFAULT }),
  answers: {
    200: {
      description: 'A page of calls.',
      shown: {
        schema: toKeptPageSchema('LedgerPage', 'entries', LEDGER_ENTRY),
        example: {
          entries: [
            {
              callId: '1q6a0k000-c1',
              skillId: 'sg_weather',
              source: 'official',
              skillVersion: 1,
              state: 'settled',
              amount: 0.5,
              charged: 0.5,
              createdAtMs: 1795219200000,
              endedAtMs: 1795219200018,
              durationMs: 18,
              upstreamStatus: 200,
            },
          ],
          keptSinceMs: EXAMPLE_KEPT_SINCE_MS,
        },
      },
    },
  },
  refuses: ['not_found'],
  run: async (ports, settings, request) => {
    const page = await showLedger(ports, readUid(request), readPageQuery(request))
    return toAnswer(200, withKeptSince(ports, settings, page))
  },
}
