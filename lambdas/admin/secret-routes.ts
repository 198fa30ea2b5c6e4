/** The admin routes of users' secrets: set, list by name and date, delete. None answers a value. */
import { deleteSecret, listSecrets, setSecret } from '../../core/flow/manage-secrets.ts'
import { answer, pageOf, parseAdminJson, type Route, type RoutedRequest, uidOf } from './route.ts'

export const SECRET_ROUTES: readonly Route[] = [
  {
    method: 'PUT',
    path: /^\/admin\/users\/([^/]+)\/secrets\/([^/]+)$/,
    shown: '/v1/admin/users/{uid}/secrets/{name}',
    access: 'either',
    run: async (ports, settings, request) => {
      const body = parseAdminJson(request)
      if (!body.ok) return body
      return answer(200, await setSecret(ports, settings, placeOf(request), body.value))
    },
  },
  {
    method: 'GET',
    path: /^\/admin\/users\/([^/]+)\/secrets$/,
    shown: '/v1/admin/users/{uid}/secrets',
    access: 'either',
    run: async (ports, _settings, request) =>
      answer(200, await listSecrets(ports, uidOf(request), pageOf(request))),
  },
  {
    method: 'DELETE',
    path: /^\/admin\/users\/([^/]+)\/secrets\/([^/]+)$/,
    shown: '/v1/admin/users/{uid}/secrets/{name}',
    access: 'either',
    run: async (ports, settings, request) =>
      answer(204, await deleteSecret(ports, settings, placeOf(request))),
  },
]

function placeOf(request: RoutedRequest) {
  const skill = request.query.get('skill') ?? undefined
  return { uid: uidOf(request), name: request.params[1] ?? '', skill }
}
