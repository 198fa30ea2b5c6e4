/**
 * The admin function, behind a REST API: registry, users, keys, cache, broadcast. Checks the
 * route's credential before anything else about the request. Bound by docs/service.md, Admin API
 * and Admin credentials.
 *
 *   find the route ─▶ credential ─▶ role ─▶ the request's schemas ─▶ one flow, recorded if it changes ─▶ answer
 */
import {
  type AdminAnswer,
  type AdminDoor,
  type AdminRequest,
  adminDoor as doorKit,
  refusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { headerOf } from '../../adapters/http/request.ts'
import {
  authenticateAdmin,
  checkRole,
  noteAdminUse,
} from '../../core/flow/access/authenticate-admin.ts'
import { type AuditAppender, auditAppender } from '../../core/flow/audit/append-audit.ts'
import { withMigration } from '../../core/flow/migration/with-migration.ts'
import type { Settings } from '../../core/settings.ts'
import { type RefusalCounter, refusalCounter } from './count-refusals.ts'
import { findRoute } from './find-route.ts'
import { noteChange, noteForbidden, noteRefused, noteRestOfRefusals } from './note-change.ts'
import { planThreads } from './plans/plan-threads.ts'
import { readRequest } from './read-request.ts'
import type { AdminPorts, RoutePorts } from './route.ts'
import { runRoute } from './run-route.ts'

export type { AdminPorts }

/** Builds the door. Plans are made in threads of their own. */
export function adminDoor(ports: AdminPorts, settings: Settings): AdminDoor {
  const routePorts = { ...ports, ...withMigration(ports), plans: planThreads(ports) }
  const state: DoorState = { refusals: refusalCounter(), trail: auditAppender(ports) }
  return doorKit({
    log: ports.log,
    handle: (request) => handle(routePorts, settings, state, request),
    bytesMaxOf: findBytesMax,
  })
}

/** Returns the body limit of a route if it has its own; the body is measured before it is read. */
function findBytesMax(method: string, path: string): number | undefined {
  const found = findRoute(method, path)
  return found.ok ? found.value.route.body?.bytesMax : undefined
}

type DoorState = { readonly refusals: RefusalCounter; readonly trail: AuditAppender }

async function handle(
  ports: RoutePorts,
  settings: Settings,
  { refusals, trail }: DoorState,
  sent: AdminRequest,
): Promise<AdminAnswer> {
  const found = findRoute(sent.method, sent.path)
  const access = found.ok ? found.value.route.access : 'either'
  const admin = await authenticateAdmin(ports, access, {
    authorization: headerOf(sent, 'authorization'),
    adminKey: headerOf(sent, 'x-admin-key'),
  })
  if (!admin.ok) {
    noteRefused(ports, refusals, sent, admin.error)
    return refusalAnswer(admin.error)
  }
  noteRestOfRefusals(ports, refusals)
  if (!found.ok) return refusalAnswer(found.error.refusal, found.error.headers)
  const { route } = found.value
  const allowed = checkRole(admin.value, route.role)
  if (!allowed.ok) {
    noteForbidden(ports, route, admin.value)
    return refusalAnswer(allowed.error)
  }
  await noteAdminUse(ports, admin.value)
  const read = readRequest(ports.schemas, found.value, sent)
  if (!read.ok) return refusalAnswer(read.error)
  const request = { ...read.value, admin: admin.value }
  const answer = await runRoute(ports, settings, trail, { received: sent, request, route })
  if (!answer.ok) return refusalAnswer(answer.error)
  noteChange(ports, route, request, answer.value)
  return answer.value
}
