/**
 * The admin routes of logins: invitations to log in, and what people have allowed clients. A link
 * appears only in the response that makes it.
 */
import { LOGINS_PAGE_DEFAULT, LOGINS_PAGE_MAX } from '../../../core/access/limits.ts'
import { inviteUser } from '../../../core/flow/users/invite-user.ts'
import {
  endLogin,
  LOGIN_ID_PATTERN,
  listLogins,
  showLogin,
} from '../../../core/flow/users/manage-logins.ts'
import {
  type Route,
  type RoutedRequest,
  readPageQuery,
  readUid,
  type Schema,
  toAnswer,
} from '../route.ts'
import {
  AT_MS,
  TEXT,
  toAnsweredObject,
  toAnsweredPage,
  toPageQuery,
  toSentObject,
  UID,
} from '../schemas/field-schemas.ts'
import { SENT_SCOPE } from '../schemas/key-schemas.ts'
import { KEY_ID } from './key-routes.ts'

const LOGIN_ID: Schema = {
  type: 'string',
  pattern: LOGIN_ID_PATTERN,
  examples: ['Ym2sVb3KpQx0dWc4LrT9fg'],
  description: 'Identifies the login; not secret.',
  'x-rule':
    'must be a loginId as the list of logins shows it: 22 characters of A-Z, a-z, 0-9, - and _',
}

const KEY_EXAMPLE = 'n:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'

const INVITED = toAnsweredObject('Invitation', {
  inviteId: {
    ...TEXT,
    description: 'The keyId of the invitation, by which it is limited and revoked like a key.',
  },
  link: { ...TEXT, description: 'For the person alone. Shown only here: only its hash is stored.' },
  expiresAtMs: { ...AT_MS, description: 'From then on nobody can log in with the link.' },
})

const { mayIssueKeys: _, ...SENT_LIMITS } = SENT_SCOPE

const LOGIN = toAnsweredObject(
  'Login',
  {
    loginId: LOGIN_ID,
    clientName: { ...TEXT, description: 'As the client calls itself; nobody has checked it.' },
    clientHost: {
      ...TEXT,
      description: "Host of the client's own description; absent for one that registered itself.",
    },
    redirectHost: { ...TEXT, description: 'Where the browser went back to after the consent.' },
    keyId: KEY_ID,
    createdAtMs: AT_MS,
    lastRefreshAtMs: { ...AT_MS, description: 'When the client last renewed its tokens.' },
  },
  ['clientHost'],
)

function readLogin(request: RoutedRequest) {
  return { uid: readUid(request), loginId: request.params['loginId'] ?? '' }
}

export const LOGIN_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/users/{uid}/invites',
    operationId: 'createInvite',
    tag: 'Keys',
    summary: 'Invite a user to log in',
    description:
      'Makes a link with which the user logs in once, without an API key. The list of keys shows the invitation, and a field limits what its login may do.',
    access: 'either',
    role: 'operator',
    params: { uid: UID },
    body: {
      kind: 'json',
      schema: toSentObject('LoginLimits', SENT_LIMITS, []),
      required: false,
      example: { tools: ['sg_*'] },
    },
    answers: {
      201: {
        description: 'The invitation. Its link is never shown again.',
        shown: {
          schema: INVITED,
          example: {
            inviteId: KEY_EXAMPLE,
            link: 'https://mcp.example.com/invite/sgi_hTj9EKBPSC2qJ9wycfZqYo5RggJm5t0m9XPGCMno6zo',
            expiresAtMs: 1795824000000,
          },
        },
      },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, settings, request) =>
      toAnswer(201, await inviteUser(ports, settings, readUid(request), request.body)),
  },
  {
    method: 'GET',
    path: '/users/{uid}/logins',
    operationId: 'listLogins',
    tag: 'Keys',
    summary: 'List logins',
    description: 'What the user has allowed clients, newest first, without logins that ended.',
    access: 'either',
    role: 'viewer',
    params: { uid: UID },
    query: toPageQuery({ max: LOGINS_PAGE_MAX, otherwise: LOGINS_PAGE_DEFAULT }),
    answers: {
      200: {
        description: 'A page of logins.',
        shown: {
          schema: toAnsweredPage('LoginPage', 'logins', LOGIN),
          example: {
            logins: [
              {
                loginId: 'Ym2sVb3KpQx0dWc4LrT9fg',
                clientName: 'Claude',
                clientHost: 'claude.ai',
                redirectHost: 'claude.ai',
                keyId: KEY_EXAMPLE,
                createdAtMs: 1795219200000,
                lastRefreshAtMs: 1795305600000,
              },
            ],
          },
        },
      },
    },
    refuses: ['not_found'],
    run: async (ports, _settings, request) =>
      toAnswer(200, await listLogins(ports, readUid(request), readPageQuery(request))),
  },
  {
    method: 'DELETE',
    path: '/users/{uid}/logins/{loginId}',
    operationId: 'endLogin',
    tag: 'Keys',
    summary: 'End a login',
    description:
      'The tokens of its client stop working within 30 seconds. Its key, and other logins on the key, go on.',
    access: 'either',
    role: 'operator',
    params: { uid: UID, loginId: LOGIN_ID },
    answers: { 204: { description: 'Ended.' } },
    refuses: ['not_found'],
    before: (ports, _settings, request) => showLogin(ports, readLogin(request)),
    run: async (ports, _settings, request) =>
      toAnswer(204, await endLogin(ports, readLogin(request))),
  },
]
