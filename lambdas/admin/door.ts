/**
 * The admin function, behind a REST API: registry, users, keys, cache, broadcast. Checks the
 * route's credential before it answers anything else about the request. Bound by docs/service.md,
 * Admin API and Admin credentials.
 *
 *   find the route ─▶ check the credential ─▶ check the request's schemas ─▶ one flow ─▶ answer
 */
import {
  type AdminAnswer,
  type AdminDoor,
  type AdminRequest,
  adminDoor as doorKit,
  refusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { headerOf } from '../../adapters/http/request.ts'
import { authenticateAdmin } from '../../core/flow/access/authenticate-admin.ts'
import { withMigration } from '../../core/flow/migration/with-migration.ts'
import type { Settings } from '../../core/settings.ts'
import { findRoute } from './find-route.ts'
import { noteChange, noteRefused } from './note-change.ts'
import { readRequest } from './read-request.ts'
import type { AdminPorts } from './route.ts'

export type { AdminPorts }

export function adminDoor(ports: AdminPorts, settings: Settings): AdminDoor {
  const healing = { ...ports, ...withMigration(ports) }
  return doorKit({
    log: ports.log,
    handle: (request) => handle(healing, settings, request),
    bytesMaxOf,
  })
}

/** Some routes take more than the others, and a body is measured before it is read. */
function bytesMaxOf(method: string, path: string): number | undefined {
  const found = findRoute(method, path)
  const body = found.ok ? found.value.route.body : undefined
  return body?.kind === 'json' ? body.bytesMax : undefined
}

async function handle(
  ports: AdminPorts,
  settings: Settings,
  request: AdminRequest,
): Promise<AdminAnswer> {
  const found = findRoute(request.method, request.path)
  const access = found.ok ? found.value.route.access : 'either'
  const admin = await authenticateAdmin(ports, access, {
    authorization: headerOf(request, 'authorization'),
    adminKey: headerOf(request, 'x-admin-key'),
  })
  if (!admin.ok) {
    noteRefused(ports, request, admin.error)
    return refusalAnswer(admin.error)
  }
  if (!found.ok) return refusalAnswer(found.error.refusal, found.error.headers)
  const read = readRequest(ports.schemas, found.value, request)
  if (!read.ok) return refusalAnswer(read.error)
  const answer = await found.value.route.run(ports, settings, read.value)
  if (!answer.ok) return refusalAnswer(answer.error)
  noteChange(ports, found.value.route, read.value, answer.value)
  return answer.value
}
