/** Schemas of accounts of users by month. */
import { USER_STATES } from '../../../core/access/user-state.ts'
import type { Properties, Schema } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  SIGNED_CREDITS_SHOWN,
  SOURCE,
  TEXT,
  toAnsweredObject,
} from './field-schemas.ts'

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

export const MONTH: Schema = {
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

export const TOTALS: Properties = {
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

export const OWNER: Properties = {
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

export const STATEMENT = toStatementSchema('Statement', GRANT)

/** A statement as its user sees it: without who granted, and why. */
export const OWN_STATEMENT = toStatementSchema(
  'MyStatement',
  toAnsweredObject('MyStatementGrant', GRANT_FIELDS, ['money']),
)

const CELLS: Schema = { type: 'array', items: TEXT }

export const STATEMENT_TABLES = toAnsweredObject('StatementTables', {
  facts: {
    type: 'array',
    items: CELLS,
    description: 'Names with values: whose it is, and of when.',
  },
  tables: {
    type: 'array',
    items: toAnsweredObject(
      'StatementTable',
      {
        title: TEXT,
        columns: {
          type: 'array',
          items: toAnsweredObject(
            'StatementColumn',
            { head: TEXT, isNumber: { type: 'boolean' } },
            ['isNumber'],
          ),
        },
        rows: { type: 'array', items: CELLS },
        total: CELLS,
      },
      ['total'],
    ),
  },
  notes: CELLS,
})

export const TOTALS_EXAMPLE = {
  opening: 4,
  granted: 10,
  corrected: -1,
  charged: 2.5,
  closing: 10.5,
  calls: 5,
  refunded: 1,
  givenBack: 0.5,
}
export const OWNER_EXAMPLE = { uid: 'ada', username: 'Ada', state: 'active', complete: true }
/** A month without grants. */
export const STATEMENT_EXAMPLE = {
  ...OWNER_EXAMPLE,
  month: '2026-10',
  sinceMs: 1790812800000,
  untilMs: 1793491200000,
  ...TOTALS_EXAMPLE,
  grants: [],
  corrections: [],
  charges: [{ skillId: 'sg_weather', source: 'official', calls: 5, charged: 2.5 }],
  refunds: [{ reason: 'upstream_failed', calls: 1, givenBack: 0.5 }],
}
