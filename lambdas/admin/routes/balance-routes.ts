/** The admin routes that find users by what they can still spend: debts, and who runs out soon. */
import { listDebts } from '../../../core/flow/users/list-debts.ts'
import { listRunningOut } from '../../../core/flow/users/list-running-out.ts'
import { DEBTS_PAGE_DEFAULT, DEBTS_PAGE_MAX } from '../../../core/ledger/limits.ts'
import {
  RUN_OUT_MEAN_DAYS,
  RUN_OUT_USERS_MAX,
  RUN_OUT_WITHIN_DAYS_DEFAULT,
  RUN_OUT_WITHIN_DAYS_MAX,
} from '../../../core/ledger/run-out.ts'
import { type Route, readPageQuery, toAnswer } from '../route.ts'
import {
  AT_MS,
  COUNT,
  CREDITS_SHOWN,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
} from '../schemas/field-schemas.ts'
import { BALANCE_FIELDS, USER_STATE } from '../schemas/user-schemas.ts'

const ROW_FIELDS = { uid: TEXT, username: TEXT, tier: TEXT, state: USER_STATE, ...BALANCE_FIELDS }

const IN_DEBT = toAnsweredObject('UserInDebt', ROW_FIELDS, ['monthlyBudget'])

const RUNNING_OUT = toAnsweredObject(
  'UserRunningOut',
  {
    ...ROW_FIELDS,
    chargedPerDay: {
      ...CREDITS_SHOWN,
      description: `Mean charge of a day in the last ${RUN_OUT_MEAN_DAYS} whole days (UTC).`,
    },
    daysLeft: {
      type: 'number',
      minimum: 0,
      description: 'Days until nothing is left at that mean, rounded down to a tenth.',
    },
    reaches: {
      type: 'string',
      enum: ['balance', 'budget'],
      description:
        'What is used up first: the balance, or the monthly budget if that happens before the budget renews.',
    },
  },
  ['monthlyBudget'],
)

const BOB = {
  uid: 'bob',
  username: 'Bob',
  tier: 'free',
  state: 'active',
  credits: 3,
  creditsOnHold: 0,
}

export const BALANCE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/users:in-debt',
    operationId: 'listDebts',
    tag: 'Users',
    summary: 'List users with a debt',
    description:
      'Users whose balance is below 0, by uid; deleted ones too. A page may be short, and still have a nextCursor.',
    access: 'either',
    role: 'viewer',
    query: toPageQuery({ max: DEBTS_PAGE_MAX, otherwise: DEBTS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of users.',
        shown: {
          schema: toAnsweredPage('DebtPage', 'users', IN_DEBT),
          example: { users: [{ ...BOB, credits: -2.5 }] },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listDebts(ports, readPageQuery(request))),
  },
  {
    method: 'GET',
    path: '/users:running-out',
    operationId: 'listRunningOut',
    tag: 'Users',
    summary: 'List users who will soon have no credits or budget left',
    description: `Active users, soonest first, if they go on as in the last ${RUN_OUT_MEAN_DAYS} whole days (UTC). Users without a charge in these days are left out.`,
    access: 'either',
    role: 'viewer',
    query: {
      within: {
        type: 'integer',
        minimum: 1,
        maximum: RUN_OUT_WITHIN_DAYS_MAX,
        default: RUN_OUT_WITHIN_DAYS_DEFAULT,
        description: 'Users with at most this many days left.',
        'x-rule': `must be a whole number of days from 1 to ${RUN_OUT_WITHIN_DAYS_MAX}`,
      },
    },
    answers: {
      200: {
        description: 'The users.',
        shown: {
          schema: toAnsweredObject('RunningOut', {
            sinceMs: { ...AT_MS, description: 'Where the days of the mean begin.' },
            untilMs: { ...AT_MS, description: 'Where they end: the last midnight (UTC).' },
            users: { type: 'array', items: RUNNING_OUT, maxItems: RUN_OUT_USERS_MAX },
            notCompared: {
              ...COUNT,
              description: `Users with charges who were not compared: those who spend least, if there are more than ${RUN_OUT_USERS_MAX}.`,
            },
          }),
          example: {
            sinceMs: 1795132800000,
            untilMs: 1795737600000,
            users: [{ ...BOB, chargedPerDay: 1.5, daysLeft: 2, reaches: 'balance' }],
            notCompared: 0,
          },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, { query }) =>
      toAnswer(200, await listRunningOut(ports, query['within'])),
  },
]
