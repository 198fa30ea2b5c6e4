/**
 * Answers a request to the users' API. Refuses a wrong credential before anything else about the
 * request, and names no remedy of administrators. Bound by docs/service.md, Users' API.
 *
 *   find the route ─▶ credential, counted ─▶ right ─▶ schemas ─▶ changes counted ─▶ one flow ─▶ answer
 */
import {
  type AdminAnswer,
  type AdminRequest,
  toRefusalAnswer,
} from '../../../adapters/http/admin-kit.ts'
import { findHeader } from '../../../adapters/http/request.ts'
import type { ProvisionIdentity } from '../../../core/access/identity.ts'
import { type ChangedBy, USER_ROLE } from '../../../core/audit/audit-record.ts'
import type { Refusal } from '../../../core/errors.ts'
import { countAccountChange } from '../../../core/flow/access/count-request.ts'
import type { V0Lookups } from '../../../core/flow/access/v0-lookups.ts'
import { authenticateUser, type UserCaller } from '../../../core/flow/account/authenticate-user.ts'
import { findManageRefusal } from '../../../core/flow/account/may-manage.ts'
import type { AuditAppender } from '../../../core/flow/audit/append-audit.ts'
import type { ToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import type { Settings } from '../../../core/settings.ts'
import { makeRouteFinder } from '../find-route.ts'
import { readRequest } from '../read-request.ts'
import { isChanging, type RoutePorts } from '../route.ts'
import { runRoute } from '../run-route.ts'
import { USER_ROUTES } from './me-routes.ts'
import { USER_BASE } from './user-route.ts'

export const findUserRoute = makeRouteFinder(USER_BASE, USER_ROUTES)

export type UserDoorState = {
  readonly trail: AuditAppender
  readonly lookups: V0Lookups
  readonly lists: ToolListCache
  /** Makes a person who comes to the console before any client a user, as /mcp does. */
  readonly provision: ProvisionIdentity
}

/** Answers a request for {@link isUserPath}. Throws `Fault` if the store does not answer. */
export async function answerUser(
  ports: RoutePorts,
  settings: Settings,
  { lists, lookups, provision, trail }: UserDoorState,
  received: AdminRequest,
): Promise<AdminAnswer> {
  const found = findUserRoute(received.method, received.path)
  const sent = {
    authorization: findHeader(received, 'authorization'),
    address: received.sourceAddress,
  }
  const isCall = found.ok && found.value.route.isCall === true
  const admitting = { ...ports, provision, makeSecret: () => ports.logins.secret() }
  const caller = await authenticateUser({ ports: admitting, settings, lookups }, sent, isCall)
  if (!caller.ok) return toRefusalAnswer(caller.error)
  if (!found.ok) return toRefusalAnswer(found.error.refusal, found.error.headers)
  const { route } = found.value
  const refusal = route.needs === 'managing' ? findManageRefusal(caller.value) : undefined
  if (refusal !== undefined) return toRefusalAnswer(refusal)
  const read = readRequest(ports.schemas, found.value, received)
  if (!read.ok) return toRefusalAnswer(read.error)
  const request = { ...read.value, caller: caller.value, received, lists }
  const isChange = isChanging(route, request)
  const counted = isChange ? await countAccountChange(ports, caller.value.principal) : undefined
  if (counted?.ok === false) return toRefusalAnswer(counted.error)
  const { uid } = caller.value.principal
  const answer = await runRoute(ports, settings, trail, {
    received,
    request,
    route,
    who: toChangedBy(caller.value),
    place: { route: route.path, target: { uid } },
  })
  if (!answer.ok) return toRefusalAnswer(toUserRefusal(answer.error))
  if (isChange) {
    const { status } = answer.value
    ports.log.note('info', 'account-changed', { operation: route.operationId, status, uid })
  }
  return answer.value
}

function toChangedBy({ principal: { keyHash, uid } }: UserCaller): ChangedBy {
  return { name: uid, role: USER_ROLE, keyId: keyHash }
}

/** Words for users in place of the remedies of administrators, which name other requests. */
function toUserRefusal({ remedy, ...refusal }: Refusal): Refusal {
  const list = remedy === undefined ? undefined : LISTS[remedy.code]
  return list === undefined ? refusal : { ...refusal, detail: `${refusal.detail} ${list}` }
}

const LISTS: { readonly [code: string]: string | undefined } = {
  list_keys: 'GET /v1/me/keys lists your keys.',
  list_logins: 'GET /v1/me/logins lists your logins.',
  list_secrets: 'GET /v1/me/secrets lists your secrets.',
}
