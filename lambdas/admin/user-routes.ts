/** The admin routes of users: their profile and credits. */

import { withNewNameWarning } from '../../core/flow/accounts/claim-username.ts'
import { createUser, grantCredits, readUser } from '../../core/flow/accounts/manage-users.ts'
import { withTierWarning } from '../../core/flow/accounts/warn-tier.ts'
import { changeUser } from '../../core/flow/registry/rename-tools.ts'
import { CREDITS_MAX, MICRO_PER_CREDIT } from '../../core/ledger/amount.ts'
import {
  AT_MS,
  answeredObject,
  CREDITS_SHOWN,
  IDENTIFIER,
  SENT_CREDITS,
  sentObject,
  TEXT,
  UID,
  USER_GROUPS,
  USERNAME,
} from './field-schemas.ts'
import { answer, type Route, type Schema, uidOf } from './route.ts'

const TIER = {
  ...IDENTIFIER,
  description: 'Decides the limits; a tier without settings has those of free.',
}

const NEW_USER = sentObject(
  'NewUser',
  {
    username: USERNAME,
    uid: { ...IDENTIFIER, description: 'Generated when absent.' },
    tier: { ...TIER, default: 'free' },
    credits: { ...SENT_CREDITS, default: 0 },
    groups: USER_GROUPS,
  },
  ['username'],
)

const USER_PATCH: Schema = {
  ...sentObject('UserPatch', { username: USERNAME, tier: TIER, groups: USER_GROUPS }, []),
  minProperties: 1,
  'x-rule': 'is empty; send username, tier or groups',
}

const USER = answeredObject(
  'User',
  {
    uid: TEXT,
    username: TEXT,
    tier: TEXT,
    credits: { ...CREDITS_SHOWN, description: 'Credits that can be spent.' },
    creditsOnHold: { ...CREDITS_SHOWN, description: 'Credits set aside for running calls.' },
    createdAtMs: AT_MS,
    groups: USER_GROUPS,
    warnings: {
      type: 'array',
      items: TEXT,
      description:
        'After a change: what is probably a mistake, such as a tier that no setting names, or a username that another user has.',
    },
  },
  ['groups', 'warnings'],
)
const ADA = {
  uid: 'ada',
  username: 'Ada',
  tier: 'free',
  credits: 25,
  creditsOnHold: 0,
  createdAtMs: 1795219200000,
}

const GRANT = sentObject(
  'Grant',
  {
    grantId: { ...IDENTIFIER, description: 'An id that you choose. Counts once per user.' },
    amount: {
      ...SENT_CREDITS,
      description: `More than 0. A user has ${CREDITS_MAX / MICRO_PER_CREDIT} at most.`,
    },
  },
  ['grantId', 'amount'],
)
const GRANTED = answeredObject('Granted', {
  user: USER,
  granted: { type: 'boolean', description: 'False when this grantId was counted before.' },
})

export const USER_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/users',
    operationId: 'createUser',
    tag: 'Users',
    summary: 'Make a user',
    description:
      'A username that another user has is taken with a warning. Case does not distinguish names.',
    access: 'either',
    body: {
      kind: 'json',
      schema: NEW_USER,
      required: true,
      example: { username: 'Ada', uid: 'ada', credits: 25 },
    },
    answers: { 201: { description: 'The new user.', shown: { schema: USER, example: ADA } } },
    refuses: ['conflict'],
    run: async (ports, settings, { body }) =>
      answer(
        201,
        await withNewNameWarning(ports, withTierWarning(settings, await createUser(ports, body))),
      ),
  },
  {
    method: 'GET',
    path: '/users/{uid}',
    operationId: 'showUser',
    tag: 'Users',
    summary: 'Show a user',
    access: 'either',
    params: { uid: UID },
    answers: { 200: { description: 'The user.', shown: { schema: USER, example: ADA } } },
    refuses: ['not_found'],
    run: async (ports, _settings, request) => answer(200, await readUser(ports, uidOf(request))),
  },
  {
    method: 'PATCH',
    path: '/users/{uid}',
    operationId: 'patchUser',
    tag: 'Users',
    summary: "Change a user's name, tier or groups",
    description:
      'The tools of private skills get the new name at once. Calls by the old one keep working. A username that another user has is taken with a warning.',
    access: 'either',
    params: { uid: UID },
    body: {
      kind: 'json',
      schema: USER_PATCH,
      required: true,
      example: { tier: 'pro', groups: ['finance'] },
    },
    answers: {
      200: {
        description: 'The user after the change.',
        shown: { schema: USER, example: { ...ADA, tier: 'pro', groups: ['finance'] } },
      },
    },
    refuses: ['not_found'],
    run: async (ports, settings, request) =>
      answer(
        200,
        withTierWarning(settings, await changeUser(ports, settings, uidOf(request), request.body)),
      ),
  },
  {
    method: 'POST',
    path: '/users/{uid}/credits',
    operationId: 'grantCredits',
    tag: 'Users',
    summary: 'Grant credits',
    description: 'A grantId counts once, however often it is sent.',
    access: 'either',
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
    run: async (ports, _settings, request) =>
      answer(200, await grantCredits(ports, uidOf(request), request.body)),
  },
]
