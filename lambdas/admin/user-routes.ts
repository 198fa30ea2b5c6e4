/** The admin routes of users: their profile. */

import { withNewNameWarning } from '../../core/flow/accounts/claim-username.ts'
import { createUser, readUser } from '../../core/flow/accounts/manage-users.ts'
import { withTierWarning } from '../../core/flow/accounts/warn-tier.ts'
import { changeUser } from '../../core/flow/registry/rename-tools.ts'
import {
  AT_MS,
  answeredObject,
  CREDITS_SHOWN,
  IDENTIFIER,
  SENT_CREDITS,
  SIGNED_CREDITS_SHOWN,
  sentObject,
  TEXT,
  UID,
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
  },
  ['username'],
)

const USER_PATCH: Schema = {
  ...sentObject('UserPatch', { username: USERNAME, tier: TIER }, []),
  minProperties: 1,
  'x-rule': 'is empty; send username, tier or both',
}

export const USER = answeredObject(
  'User',
  {
    uid: TEXT,
    username: TEXT,
    tier: TEXT,
    credits: {
      ...SIGNED_CREDITS_SHOWN,
      description: 'Credits that can be spent; below 0 after a correction with allowNegative.',
    },
    creditsOnHold: { ...CREDITS_SHOWN, description: 'Credits set aside for running calls.' },
    createdAtMs: AT_MS,
    warnings: {
      type: 'array',
      items: TEXT,
      description:
        'After a change: what is probably a mistake, such as a tier that no setting names, or a username that another user has.',
    },
  },
  ['warnings'],
)
export const ADA = {
  uid: 'ada',
  username: 'Ada',
  tier: 'free',
  credits: 25,
  creditsOnHold: 0,
  createdAtMs: 1795219200000,
}

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
    summary: "Change a user's name or tier",
    description:
      'The tools of private skills get the new name at once. Calls by the old one keep working. A username that another user has is taken with a warning.',
    access: 'either',
    params: { uid: UID },
    body: { kind: 'json', schema: USER_PATCH, required: true, example: { tier: 'pro' } },
    answers: {
      200: {
        description: 'The user after the change.',
        shown: { schema: USER, example: { ...ADA, tier: 'pro' } },
      },
    },
    refuses: ['not_found'],
    run: async (ports, settings, request) =>
      answer(
        200,
        withTierWarning(settings, await changeUser(ports, settings, uidOf(request), request.body)),
      ),
  },
]
