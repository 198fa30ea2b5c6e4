/** The admin routes of a user's credits: grants, corrections, and the list of both. */

import { recordAfterChange } from '../../../core/flow/events/note-user.ts'
import { grantCredits } from '../../../core/flow/users/grant-credits.ts'
import { readUser } from '../../../core/flow/users/manage-users.ts'
import { GRANT_REASON_RULE } from '../../../core/flow/users/read-grant.ts'
import { showGrants } from '../../../core/flow/users/show-grants.ts'
import { CREDITS_MAX, CREDITS_MIN, MICRO_PER_CREDIT } from '../../../core/ledger/amount.ts'
import {
  GRANT_REASON_CHARS_MAX,
  GRANTS_PAGE_DEFAULT,
  GRANTS_PAGE_MAX,
} from '../../../core/ledger/limits.ts'
import { type Route, readPageQuery, readUid, toAnswer } from '../route.ts'
import {
  AT_MS,
  IDENTIFIER,
  SENT_CREDIT_CHANGE,
  SIGNED_CREDITS_SHOWN,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
  UID,
} from '../schemas/field-schemas.ts'
import { ADA, USER } from '../schemas/user-schemas.ts'

const GRANT = toSentObject(
  'Grant',
  {
    grantId: { ...IDENTIFIER, description: 'An id that you choose. Counts once per user.' },
    amount: {
      ...SENT_CREDIT_CHANGE,
      description: `Credits to give, or below 0 to take. Not 0. A user has ${CREDITS_MAX / MICRO_PER_CREDIT} at most.`,
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: GRANT_REASON_CHARS_MAX,
      pattern: '^[^\\p{Cc}\\u2028\\u2029]*$',
      allOf: [{ pattern: '\\S' }],
      description: 'Kept with the grant. Required where the amount is below 0.',
      'x-rule': GRANT_REASON_RULE,
    },
    allowNegative: {
      type: 'boolean',
      default: false,
      description: `Lets a correction take the balance below 0, down to ${CREDITS_MIN / MICRO_PER_CREDIT}. Calls with a price are then refused.`,
    },
  },
  ['grantId', 'amount'],
)
const GRANTED = toAnsweredObject('Granted', {
  user: USER,
  granted: { type: 'boolean', description: 'False when this grantId was counted before.' },
})

const SHOWN_GRANT = toAnsweredObject(
  'ShownGrant',
  {
    grantId: TEXT,
    amount: { ...SIGNED_CREDITS_SHOWN, description: 'Below 0 for a correction.' },
    reason: TEXT,
    by: {
      ...TEXT,
      description: 'The administrator who gave it; absent for grants of the migration.',
    },
    createdAtMs: AT_MS,
  },
  ['by', 'reason'],
)

export const CREDIT_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/users/{uid}/credits',
    operationId: 'grantCredits',
    tag: 'Users',
    summary: 'Grant or correct credits',
    description:
      'A grantId counts once, however often it is sent. A negative amount takes credits and needs a reason; it does not take the balance below 0 unless allowNegative is sent.',
    access: 'either',
    role: 'operator',
    params: { uid: UID },
    body: {
      kind: 'json',
      schema: GRANT,
      required: true,
      example: { grantId: 'november', amount: 10 },
    },
    answers: {
      200: {
        description: 'The user after the grant.',
        shown: { schema: GRANTED, example: { user: ADA, granted: true } },
      },
    },
    refuses: ['not_found', 'conflict'],
    before: (ports, _settings, request) => readUser(ports, readUid(request)),
    run: async (ports, settings, request) => {
      const uid = readUid(request)
      const result = await grantCredits(ports, uid, request.body, request.admin.name)
      return toAnswer(200, await recordAfterChange(ports, settings.events, { uid, result }))
    },
  },
  {
    method: 'GET',
    path: '/users/{uid}/credits',
    operationId: 'listGrants',
    tag: 'Users',
    summary: 'List grants and corrections',
    description: 'In the order of their grantIds, with amounts, reasons, and who gave them.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID },
    query: toPageQuery({ max: GRANTS_PAGE_MAX, otherwise: GRANTS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of grants.',
        shown: {
          schema: toAnsweredPage('GrantPage', 'grants', SHOWN_GRANT),
          example: {
            grants: [
              { grantId: 'november', amount: 10, by: 'grace', createdAtMs: 1795219200000 },
              {
                grantId: 'november-2',
                amount: -2.5,
                reason: 'November was granted twice in part',
                createdAtMs: 1795219260000,
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showGrants(ports, readUid(request), readPageQuery(request))),
  },
]
