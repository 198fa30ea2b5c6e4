/**
 * The administrators' door, behind a REST API: registry, users, keys, cache, broadcast. Checks the
 * credential of the route before it reads the body. Bound by the spec (Administrative endpoints)
 * and design section 4 (Admin bodies, Credentials).
 */
import {
  type AdminAnswer,
  type AdminDoor,
  type AdminRequest,
  adminDoor as doorKit,
  refusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { headerOf } from '../../adapters/http/request.ts'
import type { Refusal } from '../../core/errors.ts'
import { authenticateAdmin } from '../../core/flow/authenticate-admin.ts'
import type { Settings } from '../../core/settings.ts'
import type { AdminPorts, Route } from './route.ts'
import { ROUTES } from './routes.ts'

export type { AdminPorts }

export function adminDoor(ports: AdminPorts, settings: Settings): AdminDoor {
  return doorKit({
    log: ports.log,
    handle: async (request) => {
      const found = findRoute(request)
      if ('refusal' in found) return refusalAnswer(found.refusal, found.headers)
      const credential = {
        authorization: headerOf(request, 'authorization'),
        adminKey: headerOf(request, 'x-admin-key'),
      }
      const admin = await authenticateAdmin(ports, found.route.access, credential)
      if (!admin.ok) return refusalAnswer(admin.error)
      const answer = await found.route.run(ports, settings, { ...request, params: found.params })
      return answer.ok ? answerOf(answer.value) : refusalAnswer(answer.error)
    },
  })
}

function answerOf(value: { status: number; body: object | undefined }): AdminAnswer {
  return { status: value.status, body: value.body }
}

type Found =
  | { readonly route: Route; readonly params: readonly string[] }
  | { readonly refusal: Refusal; readonly headers?: Readonly<Record<string, string>> }

function findRoute(request: AdminRequest): Found {
  const path = request.path.startsWith('/v1/') ? request.path.slice('/v1'.length) : request.path
  const here = ROUTES.flatMap((route) => {
    const match = route.path.exec(path)
    return match === null ? [] : [{ route, params: match.slice(1).map(decode) }]
  })
  const found = here.find(({ route }) => route.method === request.method)
  if (found !== undefined) return found
  if (here.length === 0) {
    const known = ROUTES.map((route) => `${route.method} ${route.shown}`).join(', ')
    return {
      refusal: { code: 'not_found', detail: `path: there is nothing here. Routes: ${known}.` },
    }
  }
  const allow = here.map(({ route }) => route.method).join(', ')
  return {
    refusal: { code: 'method_not_allowed', detail: `This path takes ${allow}.` },
    headers: { allow },
  }
}

/** A broken percent-encoding matches no id and is refused as such by the flow. */
function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? '')
  } catch {
    return part ?? ''
  }
}
