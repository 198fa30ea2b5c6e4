/**
 * The admin routes of many users: list and find them, create users and grant credits in batches,
 * delete a user.
 */
import { USERS_PAGE_DEFAULT, USERS_PAGE_MAX } from '../../../core/access/user-directory.ts'
import { ok } from '../../../core/errors.ts'
import { deleteUser } from '../../../core/flow/users/delete-user.ts'
import { grantMany } from '../../../core/flow/users/grant-credits.ts'
import { listUsers } from '../../../core/flow/users/list-users.ts'
import { makeUsers } from '../../../core/flow/users/make-users.ts'
import { readUser } from '../../../core/flow/users/manage-users.ts'
import { BATCH_LINES_MAX, BATCH_TEXT_MAX } from '../../../core/flow/users/run-batch.ts'
import {
  type Route,
  type RouteBody,
  readPageQuery,
  readUid,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  COUNT,
  GROUP_NAME,
  IDENTIFIER,
  IDENTITY,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  UID,
  USERNAME,
} from '../schemas/field-schemas.ts'
import { LISTED_USER, USER_STATE } from '../schemas/user-schemas.ts'
import { KEY_ID } from './key-routes.ts'

const LISTED_ADA = {
  uid: 'ada',
  username: 'Ada',
  tier: 'free',
  state: 'active',
  createdAtMs: 1795219200000,
}

function toBatchSchema(title: string, more: { readonly [name: string]: Schema }): Schema {
  const line = {
    line: { ...COUNT, description: 'Counts from 1, empty lines too.' },
    status: { type: 'integer', description: 'Status that the line would have got if sent alone.' },
    code: { ...TEXT, description: 'Error code of a line that was refused.' },
    detail: { ...TEXT, description: `Why, in ${BATCH_TEXT_MAX} characters at most.` },
  }
  const fields = { ...line, ...more }
  const optional = Object.keys(fields).filter((name) => name !== 'line' && name !== 'status')
  return toAnsweredObject(
    title,
    {
      results: {
        type: 'array',
        maxItems: BATCH_LINES_MAX,
        items: toAnsweredObject(`${title}Line`, fields, optional),
      },
      nextLine: {
        ...COUNT,
        description:
          'The first line that was not begun, for lack of time; send it and the rest again.',
      },
    },
    ['nextLine'],
  )
}

const USERS_MADE = toBatchSchema('UsersMade', {
  uid: TEXT,
  warnings: { type: 'array', items: TEXT },
})
const CREDITS_GRANTED = toBatchSchema('CreditsGranted', {
  uid: TEXT,
  grantId: TEXT,
  granted: { type: 'boolean', description: 'False when this grantId was counted before.' },
})

function toLinesBody(description: string, example: string): RouteBody {
  const schema = { type: 'string', description }
  return { kind: 'text', content: { 'application/x-ndjson': { schema, example } } }
}

export const PEOPLE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    operationId: 'listUsers',
    tag: 'Users',
    summary: 'List and find users',
    description:
      'By username, then uid; case does not count. A page may be short, and still have a nextCursor. Without state, all but deleted users.',
    access: 'either',
    role: 'viewer',
    query: {
      username: { ...USERNAME, description: 'The beginning of the username.' },
      uid: { ...UID, description: 'This user alone.' },
      keyId: { ...KEY_ID, description: 'The owner of this key alone.' },
      identity: { ...IDENTITY, description: 'The user with this identity alone.' },
      tier: { ...IDENTIFIER, description: 'Users of this tier.' },
      state: { ...USER_STATE, description: 'Users in this state.' },
      group: { ...GROUP_NAME, description: 'Users in this group; case counts.' },
      balances: {
        type: 'string',
        enum: ['true'],
        description: 'Adds credits, creditsOnHold and monthlyBudget to each user.',
        'x-rule': 'must be true; leave it out for a list without balances',
      },
      ...toPageQuery({ max: USERS_PAGE_MAX, otherwise: USERS_PAGE_DEFAULT }),
    },
    answers: {
      200: {
        description: 'A page of users.',
        shown: {
          schema: toAnsweredPage('UserPage', 'users', LISTED_USER),
          example: { users: [LISTED_ADA] },
        },
      },
    },
    refuses: [],
    run: async (ports, _settings, request) => {
      const { balances, group, identity, keyId, state, tier, uid, username } = request.query
      const query = {
        balances,
        group,
        identity,
        keyId,
        state,
        tier,
        uid,
        username,
        ...readPageQuery(request),
      }
      return toAnswer(200, await listUsers(ports, query))
    },
  },
  {
    method: 'DELETE',
    path: '/users/{uid}',
    operationId: 'deleteUser',
    tag: 'Users',
    summary: 'Delete a user',
    description:
      'Removes keys, secrets, private skills and streams; the ledger stays under the uid, which no user gets again, and names nobody. May be sent again.',
    access: 'either',
    role: 'operator',
    before: (ports, _settings, request) => readUser(ports, readUid(request)),
    params: { uid: UID },
    answers: {
      202: {
        description: 'No call is served any more. Send it again to remove the rest.',
        shown: {
          schema: toAnsweredObject('UserDeletion', { uid: TEXT, state: { const: 'deleting' } }),
          example: { uid: 'ada', state: 'deleting' },
        },
      },
      204: { description: 'Deleted.' },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) => {
      const uid = readUid(request)
      const deleted = await deleteUser(ports, uid)
      if (!deleted.ok) return deleted
      return deleted.value === 'deleted'
        ? toAnswer(204, ok(undefined))
        : toAnswer(202, ok({ uid, state: deleted.value }))
    },
  },
  {
    method: 'POST',
    path: '/users:batch',
    operationId: 'createUsers',
    tag: 'Users',
    summary: 'Make many users',
    description: `One user in each line, as POST users takes it, with its uid; ${BATCH_LINES_MAX} at most. A line that is sent again finds its user.`,
    access: 'either',
    role: 'operator',
    body: toLinesBody(
      'A JSON object in each line: NewUser, with uid.',
      '{"uid":"ada","username":"Ada","credits":25}\n{"uid":"bob","username":"Bob"}\n',
    ),
    answers: {
      207: {
        description: 'A result for each line that was begun.',
        shown: {
          schema: USERS_MADE,
          example: { results: [{ line: 1, status: 201, uid: 'ada' }] },
        },
      },
    },
    refuses: [],
    run: async (ports, settings, { admin, text }) =>
      toAnswer(207, await makeUsers(ports, settings, text, admin.name)),
  },
  {
    method: 'POST',
    path: '/credits:batch',
    operationId: 'grantManyCredits',
    tag: 'Users',
    summary: 'Grant credits to many users',
    description: `One grant in each line, with its uid; ${BATCH_LINES_MAX} at most. A grantId counts once for its user, however often it is sent.`,
    access: 'either',
    role: 'operator',
    body: toLinesBody(
      'A JSON object in each line: Grant, with uid.',
      '{"uid":"ada","grantId":"november","amount":10}\n{"uid":"bob","grantId":"november","amount":5}\n',
    ),
    answers: {
      207: {
        description: 'A result for each line that was begun.',
        shown: {
          schema: CREDITS_GRANTED,
          example: {
            results: [{ line: 1, status: 200, uid: 'ada', grantId: 'november', granted: true }],
          },
        },
      },
    },
    refuses: [],
    run: async (ports, settings, { admin, text }) =>
      toAnswer(207, await grantMany(ports, settings.events, text, admin.name)),
  },
]
