/** GET users/{uid}/statements/{month} and GET statements/{month}: accounts of users by month. */

import { USER_STATES } from '../../../core/access/user-state.ts'
import { listStatements } from '../../../core/flow/users/list-statements.ts'
import { showStatement } from '../../../core/flow/users/show-statement.ts'
import { STATEMENTS_PAGE_DEFAULT, STATEMENTS_PAGE_MAX } from '../../../core/usage/limits.ts'
import {
  type Properties,
  type Route,
  readPageQuery,
  readUid,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  NEXT_CURSOR,
  SIGNED_CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
  toPageQuery,
  UID,
} from '../schemas/field-schemas.ts'

export const MONEY: Schema = {
  type: 'string',
  pattern: '^-?\\d+(?:\\.\\d+)?$',
  description: 'Decimal text, with the decimals of the currency.',
}

export const CREDIT_PRICE: Schema = {
  ...toAnsweredObject('CreditPrice', {
    amount: { type: 'string', description: 'What a credit costs, as decimal text.' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' },
  }),
  description: 'The setting `creditPrice`; absent without it.',
}

const MONTH: Schema = {
  type: 'string',
  pattern: '^(?:19[7-9]\\d|[2-9]\\d{3})-(?:0[1-9]|1[0-2])$',
  examples: ['2026-11'],
  description: 'A month of UTC that has begun.',
  'x-rule': 'must be a month such as 2026-11',
}

const BALANCES: Properties = {
  opening: { ...SIGNED_CREDITS_SHOWN, description: 'Balance at the beginning of the month.' },
  granted: CREDITS_SHOWN,
  corrected: { ...SIGNED_CREDITS_SHOWN, description: 'What corrections took: 0 or less.' },
  charged: { ...CREDITS_SHOWN, description: 'What the calls of the month cost in the end.' },
  closing: { ...SIGNED_CREDITS_SHOWN, description: 'opening + granted + corrected − charged.' },
}

const TOTALS: Properties = {
  ...BALANCES,
  calls: { ...COUNT, description: 'Settled calls.' },
  refunded: { ...COUNT, description: 'Refunded calls.' },
  givenBack: { ...CREDITS_SHOWN, description: 'Price of the refunded calls.' },
  money: {
    ...toAnsweredObject(
      'StatementMoney',
      Object.fromEntries(Object.keys(BALANCES).map((name) => [name, MONEY])),
    ),
    description: 'The balances in money, each rounded on its own; only with `creditPrice`.',
  },
}

const OWNER: Properties = {
  uid: TEXT,
  username: TEXT,
  state: { type: 'string', enum: USER_STATES },
  complete: {
    type: 'boolean',
    description: 'False while calls of the month can still be missing.',
  },
}

const GRANT_FIELDS: Properties = {
  createdAtMs: AT_MS,
  grantId: TEXT,
  amount: SIGNED_CREDITS_SHOWN,
  money: MONEY,
}
const GRANT = toAnsweredObject('StatementGrant', { ...GRANT_FIELDS, by: TEXT, reason: TEXT }, [
  'money',
  'by',
  'reason',
])

function toStatementSchema(title: string, grant: Schema): Schema {
  const fields: Properties = {
    ...OWNER,
    month: MONTH,
    sinceMs: AT_MS,
    untilMs: AT_MS,
    creditPrice: CREDIT_PRICE,
    ...TOTALS,
    grants: { type: 'array', items: grant },
    corrections: { type: 'array', items: grant },
    charges: {
      type: 'array',
      items: toAnsweredObject(
        'StatementCharge',
        { skillId: TEXT, source: SOURCE, calls: COUNT, charged: CREDITS_SHOWN, money: MONEY },
        ['money'],
      ),
    },
    refunds: {
      type: 'array',
      items: toAnsweredObject('StatementRefund', {
        reason: TEXT,
        calls: COUNT,
        givenBack: CREDITS_SHOWN,
      }),
    },
    now: {
      ...toAnsweredObject('StatementNow', {
        credits: SIGNED_CREDITS_SHOWN,
        onHold: CREDITS_SHOWN,
        holds: COUNT,
      }),
      description: 'The balance and the running calls at this moment; only in the current month.',
    },
  }
  return toAnsweredObject(title, fields, ['creditPrice', 'money', 'now'])
}

const STATEMENT = toStatementSchema('Statement', GRANT)

/** A statement as its user sees it: without who granted, and why. */
export const OWN_STATEMENT = toStatementSchema(
  'MyStatement',
  toAnsweredObject('MyStatementGrant', GRANT_FIELDS, ['money']),
)

const EXAMPLE_TOTALS = {
  opening: 4,
  granted: 10,
  corrected: -1,
  charged: 2.5,
  closing: 10.5,
  calls: 5,
  refunded: 1,
  givenBack: 0.5,
}
const EXAMPLE_OWNER = { uid: 'ada', username: 'Ada', state: 'active', complete: true }
/** A month without grants. */
export const STATEMENT_EXAMPLE = {
  ...EXAMPLE_OWNER,
  month: '2026-10',
  sinceMs: 1790812800000,
  untilMs: 1793491200000,
  ...EXAMPLE_TOTALS,
  grants: [],
  corrections: [],
  charges: [{ skillId: 'sg_weather', source: 'official', calls: 5, charged: 2.5 }],
  refunds: [{ reason: 'upstream_failed', calls: 1, givenBack: 0.5 }],
}

export const STATEMENT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/{uid}/statements/{month}',
    operationId: 'showStatement',
    tag: 'Users',
    summary: 'Show the account of a month',
    description:
      'Opening balance, grants, corrections, charges by skill, refunds by reason and closing balance of a month (UTC). A call belongs to the month in which it started. Deleted users keep their accounts.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID, month: MONTH },
    answers: {
      200: {
        description: 'The statement.',
        shown: {
          schema: STATEMENT,
          example: {
            ...STATEMENT_EXAMPLE,
            grants: [
              {
                createdAtMs: 1790900000000,
                grantId: 'october',
                amount: 10,
                by: 'grace',
                reason: 'monthly',
              },
            ],
            corrections: [
              {
                createdAtMs: 1790990000000,
                grantId: 'fix-1',
                amount: -1,
                by: 'grace',
                reason: 'counted twice',
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, { creditPrice }, request) => {
      const of = { uid: readUid(request), month: request.params['month'] ?? '' }
      return toAnswer(200, await showStatement(ports, of, creditPrice))
    },
  },
  {
    method: 'GET',
    path: '/statements/{month}',
    operationId: 'listStatements',
    tag: 'Users',
    summary: 'List the balances of all users in a month',
    description:
      'A line for each user who existed in the month: users by name, then deleted ones. A page may have fewer lines than its limit, and still a nextCursor.',
    access: 'either',
    role: 'viewer',
    params: { month: MONTH },
    query: toPageQuery({ max: STATEMENTS_PAGE_MAX, otherwise: STATEMENTS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of lines.',
        shown: {
          schema: toAnsweredObject(
            'StatementPage',
            {
              month: MONTH,
              creditPrice: CREDIT_PRICE,
              statements: {
                type: 'array',
                items: toAnsweredObject('StatementLine', { ...OWNER, ...TOTALS }, ['money']),
              },
              tooLarge: {
                type: 'array',
                items: TEXT,
                description:
                  'Users whose statement would need more than 10,000 grants, or too many sums of calls; absent without such users.',
              },
              nextCursor: NEXT_CURSOR,
            },
            ['creditPrice', 'tooLarge', 'nextCursor'],
          ),
          example: { month: '2026-10', statements: [{ ...EXAMPLE_OWNER, ...EXAMPLE_TOTALS }] },
        },
      },
    },
    // An empty month is a path without a route.
    refuses: ['not_found'],
    run: async (ports, { creditPrice }, request) => {
      const query = { ...readPageQuery(request), month: request.params['month'] ?? '' }
      return toAnswer(200, await listStatements(ports, query, creditPrice))
    },
  },
]
