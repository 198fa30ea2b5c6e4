/** The admin routes of users: their profile, credits, keys and ledger. */
import { listKeys, revokeKey } from '../../core/flow/manage-keys.ts'
import { createUser, grantCredits, issueKey, readUser } from '../../core/flow/manage-users.ts'
import { showLedger } from '../../core/flow/show-ledger.ts'
import { answer, pageOf, parseAdminJson, type Route, uidOf } from './route.ts'

export const USER_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/admin\/users$/,
    shown: '/v1/admin/users',
    access: 'either',
    run: async (ports, _settings, request) => {
      const body = parseAdminJson(request)
      return body.ok ? answer(201, await createUser(ports, body.value)) : body
    },
  },
  {
    method: 'GET',
    path: /^\/admin\/users\/([^/]+)$/,
    shown: '/v1/admin/users/{uid}',
    access: 'either',
    run: async (ports, _settings, request) => answer(200, await readUser(ports, uidOf(request))),
  },
  {
    method: 'POST',
    path: /^\/admin\/users\/([^/]+)\/credits$/,
    shown: '/v1/admin/users/{uid}/credits',
    access: 'either',
    run: async (ports, _settings, request) => {
      const body = parseAdminJson(request)
      return body.ok ? answer(200, await grantCredits(ports, uidOf(request), body.value)) : body
    },
  },
  {
    method: 'POST',
    path: /^\/admin\/users\/([^/]+)\/keys$/,
    shown: '/v1/admin/users/{uid}/keys',
    access: 'either',
    run: async (ports, _settings, request) => answer(201, await issueKey(ports, uidOf(request))),
  },
  {
    method: 'GET',
    path: /^\/admin\/users\/([^/]+)\/keys$/,
    shown: '/v1/admin/users/{uid}/keys',
    access: 'either',
    run: async (ports, _settings, request) =>
      answer(200, await listKeys(ports, uidOf(request), pageOf(request))),
  },
  {
    method: 'DELETE',
    path: /^\/admin\/users\/([^/]+)\/keys\/([^/]+)$/,
    shown: '/v1/admin/users/{uid}/keys/{keyId}',
    access: 'either',
    run: async (ports, _settings, request) => {
      const key = { uid: uidOf(request), keyId: request.params[1] ?? '' }
      return answer(204, await revokeKey(ports, key))
    },
  },
  {
    method: 'GET',
    path: /^\/admin\/users\/([^/]+)\/ledger$/,
    shown: '/v1/admin/users/{uid}/ledger',
    access: 'either',
    run: async (ports, _settings, request) =>
      answer(200, await showLedger(ports, uidOf(request), pageOf(request))),
  },
]
