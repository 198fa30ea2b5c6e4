/** The routes of the users' API for keys and logins. A key appears only in the response that makes it. */
import { OWN_KEYS_MAX } from '../../../core/access/limits.ts'
import { issueOwnKey, revokeOwnKey } from '../../../core/flow/account/issue-own-key.ts'
import { changeKey, listKeys } from '../../../core/flow/users/manage-keys.ts'
import { endLogin, listLogins, showLogin } from '../../../core/flow/users/manage-logins.ts'
import { readPageQuery, toAnswer } from '../route.ts'
import { KEY_ROUTES, readKeyBefore } from '../routes/key-routes.ts'
import { LOGIN_ROUTES } from '../routes/login-routes.ts'
import { COUNT, TEXT, toAnsweredObject } from '../schemas/field-schemas.ts'
import { readCallerUid, shareForm, type UserRequest, type UserRoute } from './user-route.ts'

function readKey(request: UserRequest) {
  return { uid: readCallerUid(request), keyId: request.params['keyId'] ?? '' }
}

function readLogin(request: UserRequest) {
  return { uid: readCallerUid(request), loginId: request.params['loginId'] ?? '' }
}

const REVOCATION = toAnsweredObject(
  'Revocation',
  {
    keysLeft: { ...COUNT, description: 'Your keys that still work, identities among them.' },
    warning: { ...TEXT, description: 'What to know if it was the last one, or the one you sent.' },
  },
  ['warning'],
)

const OWN_KEY_ROUTES: readonly UserRoute[] = [
  {
    ...shareForm(KEY_ROUTES, 'listKeys'),
    method: 'GET',
    path: '/me/keys',
    operationId: 'listMyKeys',
    tag: 'Keys',
    summary: 'List your API keys',
    description: 'Newest first, including expired keys, sub-keys, identities and invitations.',
    needs: 'managing',
    run: async (ports, _settings, request) =>
      toAnswer(200, await listKeys(ports, readCallerUid(request), readPageQuery(request))),
  },
  {
    ...shareForm(KEY_ROUTES, 'issueKey'),
    method: 'POST',
    path: '/me/keys',
    operationId: 'makeMyKey',
    tag: 'Keys',
    summary: 'Make an API key',
    description: `A key ends after 30 days without use; use renews it. A field limits what the key may do, and without fields it may do what you may. You can have ${OWN_KEYS_MAX} keys.`,
    needs: 'managing',
    run: async (ports, _settings, { body, caller }) =>
      toAnswer(201, await issueOwnKey(ports, caller.principal, body)),
  },
  {
    ...shareForm(KEY_ROUTES, 'patchKey'),
    method: 'PATCH',
    path: '/me/keys/{keyId}',
    operationId: 'patchMyKey',
    tag: 'Keys',
    summary: 'Change the limits of one of your keys',
    description:
      'A change of tools or maxCreditsPerCall is in effect everywhere after 30 seconds. A new budget or limit of calls per day binds the next call.',
    needs: 'managing',
    before: (ports, _settings, request) => readKeyBefore(ports, readKey(request)),
    run: async (ports, _settings, request) =>
      toAnswer(200, await changeKey(ports, readKey(request), request.body)),
  },
  {
    ...shareForm(KEY_ROUTES, 'revokeKey'),
    method: 'DELETE',
    path: '/me/keys/{keyId}',
    operationId: 'revokeMyKey',
    tag: 'Keys',
    summary: 'Revoke one of your keys',
    description:
      'The key stops working within 30 seconds, with the logins on it. The last key, and the one that sends this, can be revoked too.',
    needs: 'managing',
    answers: {
      200: { description: 'Revoked.', shown: { schema: REVOCATION, example: { keysLeft: 2 } } },
    },
    before: (ports, _settings, request) => readKeyBefore(ports, readKey(request)),
    run: async (ports, _settings, request) => {
      const { keyId } = readKey(request)
      return toAnswer(200, await revokeOwnKey(ports, request.caller.principal, keyId))
    },
  },
]

const OWN_LOGIN_ROUTES: readonly UserRoute[] = [
  {
    ...shareForm(LOGIN_ROUTES, 'listLogins'),
    method: 'GET',
    path: '/me/logins',
    operationId: 'listMyLogins',
    tag: 'Keys',
    summary: 'List your logins',
    description: 'What you have allowed clients, newest first, without logins that ended.',
    needs: 'managing',
    run: async (ports, _settings, request) =>
      toAnswer(200, await listLogins(ports, readCallerUid(request), readPageQuery(request))),
  },
  {
    ...shareForm(LOGIN_ROUTES, 'endLogin'),
    method: 'DELETE',
    path: '/me/logins/{loginId}',
    operationId: 'endMyLogin',
    tag: 'Keys',
    summary: 'End one of your logins',
    description: 'The tokens of its client stop working within 30 seconds.',
    needs: 'managing',
    before: (ports, _settings, request) => showLogin(ports, readLogin(request)),
    run: async (ports, _settings, request) =>
      toAnswer(204, await endLogin(ports, readLogin(request))),
  },
]

export const OWN_CREDENTIAL_ROUTES: readonly UserRoute[] = [...OWN_KEY_ROUTES, ...OWN_LOGIN_ROUTES]
