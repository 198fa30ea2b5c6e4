/** The admin routes of one user: create, show and change the profile. */

import { IDENTITY_RULE } from '../../../core/access/user-names.ts'
import { REASON_CHARS_MAX, REASON_RULE } from '../../../core/access/user-state.ts'
import { recordAfterChange } from '../../../core/flow/events/note-user.ts'
import { changeUser } from '../../../core/flow/registry/rename-tools.ts'
import { checkUsername } from '../../../core/flow/users/check-username.ts'
import { addNewNameWarning } from '../../../core/flow/users/claim-username.ts'
import { createUser, readUser } from '../../../core/flow/users/manage-users.ts'
import { LIST_RULE } from '../../../core/flow/users/read-user.ts'
import { showUser } from '../../../core/flow/users/show-user.ts'
import { addTierWarning } from '../../../core/flow/users/warned-user.ts'
import { TOOL_LIST_KINDS } from '../../../core/skills/tool-list-kind.ts'
import { type Route, readUid, type Schema, toAnswer } from '../route.ts'
import {
  IDENTIFIER,
  IDENTITY,
  SENT_BUDGET,
  SENT_CREDITS,
  SENT_LOW_BALANCE,
  toSentObject,
  UID,
  USER_GROUPS,
  USERNAME,
} from '../schemas/field-schemas.ts'
import { ADA, ADA_IN_DETAIL, USER, USER_DETAIL } from '../schemas/user-schemas.ts'

const TIER = {
  ...IDENTIFIER,
  description: 'Decides the limits; a tier without settings has those of free.',
}

const NEW_USER = toSentObject(
  'NewUser',
  {
    username: USERNAME,
    uid: { ...IDENTIFIER, description: 'Generated when absent.' },
    tier: { ...TIER, default: 'free' },
    credits: { ...SENT_CREDITS, default: 0 },
    identity: IDENTITY,
    groups: USER_GROUPS,
  },
  ['username'],
)

const USER_PATCH: Schema = {
  ...toSentObject(
    'UserPatch',
    {
      username: USERNAME,
      tier: TIER,
      identity: {
        anyOf: [IDENTITY, { type: 'null' }],
        description: `${IDENTITY['description']} null takes it away.`,
        'x-rule': `${IDENTITY_RULE}, or null`,
      },
      state: {
        type: 'string',
        enum: ['active', 'disabled'],
        description: 'Every request of a disabled user is refused with the reason.',
        'x-rule': 'must be active or disabled',
      },
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: REASON_CHARS_MAX,
        pattern: '^\\P{Cc}*$',
        allOf: [{ pattern: '\\S' }],
        description: 'Goes with the state disabled, and is shown to the user.',
        'x-rule': REASON_RULE,
      },
      monthlyBudget: SENT_BUDGET,
      lowBalance: SENT_LOW_BALANCE,
      groups: USER_GROUPS,
      addGroups: {
        ...USER_GROUPS,
        description:
          'Groups to add. Two requests at once that each add a group both have their effect.',
      },
      removeGroups: { ...USER_GROUPS, description: 'Groups to remove; others stay.' },
      list: {
        anyOf: [{ type: 'string', enum: [...TOOL_LIST_KINDS] }, { type: 'null' }],
        description:
          'What tools/list shows the user: all tools, or the search and a tool that calls what it found; null for the list of the stage.',
        'x-rule': LIST_RULE,
      },
    },
    [],
  ),
  minProperties: 1,
  'x-rule':
    'is empty; send username, tier, identity, groups, addGroups, removeGroups, state, monthlyBudget, lowBalance or list',
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
    role: 'operator',
    body: {
      kind: 'json',
      schema: NEW_USER,
      required: true,
      example: { username: 'Ada', uid: 'ada', credits: 25 },
    },
    answers: { 201: { description: 'The new user.', shown: { schema: USER, example: ADA } } },
    refuses: ['conflict'],
    run: async (ports, settings, { admin, body }) => {
      const named = checkUsername(settings, body)
      if (!named.ok) return named
      const made = await createUser(ports, body, admin.name)
      return toAnswer(201, await addNewNameWarning(ports, addTierWarning(settings, made)))
    },
  },
  {
    method: 'GET',
    path: '/users/{uid}',
    operationId: 'showUser',
    tag: 'Users',
    summary: 'Show a user',
    access: 'either',
    role: 'viewer',
    params: { uid: UID },
    description:
      'With keys, names of secrets, private skills, open streams and the last calls; no key and no value of a secret.',
    answers: {
      200: { description: 'The user.', shown: { schema: USER_DETAIL, example: ADA_IN_DETAIL } },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await showUser(ports, readUid(request))),
  },
  {
    method: 'PATCH',
    path: '/users/{uid}',
    operationId: 'patchUser',
    tag: 'Users',
    summary: "Change a user's name, tier, identity, state or budget",
    description:
      'The tools of private skills get the new name at once. Calls by the old one keep working. A username that another user has is taken with a warning. A new budget binds the next call, and keeps what the month has spent.',
    access: 'either',
    role: 'operator',
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
    refuses: ['not_found', 'conflict'],
    before: (ports, _settings, request) => readUser(ports, readUid(request)),
    run: async (ports, settings, request) =>
      toAnswer(
        200,
        await recordAfterChange(ports, settings.events, {
          uid: readUid(request),
          result: addTierWarning(
            settings,
            await changeUser(ports, settings, readUid(request), request.body),
          ),
        }),
      ),
  },
]
