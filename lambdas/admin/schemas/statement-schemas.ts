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

const GRANT = toAnsweredObject(
  'StatementGrant',
  {
    createdAtMs: AT_MS,
    grantId: TEXT,
    amount: SIGNED_CREDITS_SHOWN,
    money: MONEY,
    by: TEXT,
    reason: TEXT,
  },
  ['money', 'by', 'reason'],
)

export const STATEMENT = toAnsweredObject(
  'Statement',
  {
    ...OWNER,
    month: MONTH,
    sinceMs: AT_MS,
    untilMs: AT_MS,
    creditPrice: CREDIT_PRICE,
    ...TOTALS,
    grants: { type: 'array', items: GRANT },
    corrections: { type: 'array', items: GRANT },
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
  },
  ['creditPrice', 'money', 'now'],
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
