/**
 * Writes the log's lines about administrators: a change with its ids, a refused credential, and a
 * role that was not enough. A line contains no secret and no value, and of a key only its start.
 */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import { findHeader } from '../../adapters/http/request.ts'
import type { Administrator } from '../../core/access/admin-role.ts'
import { readKeyStart } from '../../core/access/api-key.ts'
import type { RefusalCounter } from '../../core/access/count-refusals.ts'
import type { AdminRefusal } from '../../core/flow/access/authenticate-admin.ts'
import { type AdminPorts, isChanging, type Route, type RoutedRequest } from './route.ts'

type LogPorts = Pick<AdminPorts, 'clock' | 'log'>

/**
 * Logs refused credentials. An agent's key that was sent here by mistake is logged by its start, an
 * admin key not at all.
 */
export function noteRefused(
  { clock, log }: LogPorts,
  refusals: RefusalCounter,
  request: AdminRequest,
  { code, reason }: AdminRefusal,
): void {
  const sent = findHeader(request, 'x-admin-key') ?? findHeader(request, 'authorization')
  const keyStart = readKeyStart(sent)
  for (const counted of refusals.count(request.sourceAddress, clock.nowMs())) {
    log.note('info', 'admin-refused', { code, keyStart, reason, ...counted })
  }
}

/**
 * Logs the refusals of earlier minutes. Runs with each accepted request, so that the rest of a
 * flood is logged after its address has stopped.
 */
export function noteRestOfRefusals({ clock, log }: LogPorts, refusals: RefusalCounter): void {
  for (const counted of refusals.rest(clock.nowMs())) {
    log.note('info', 'admin-refused', { code: 'unauthenticated', ...counted })
  }
}

/** Logs that an administrator's role does not allow the route. */
export function noteForbidden(
  { log }: LogPorts,
  { operationId }: Route,
  { name, role }: Administrator,
): void {
  log.note('warn', 'admin-forbidden', { admin: name, operation: operationId, role })
}

/** Logs a change. A request that only reads has no line. */
export function noteChange(
  { log }: LogPorts,
  route: Route,
  request: RoutedRequest,
  { body, status }: { readonly body: object | string | undefined; readonly status: number },
): void {
  if (!isChanging(route, request)) return
  const { admin, params } = request
  log.note('info', 'admin-changed', {
    operation: route.operationId,
    status,
    admin: admin.name,
    uid: params['uid'] ?? readText(body, 'uid'),
    skillId: params['skillId'],
    tool: readText(body, 'toolName'),
  })
}

function readText(body: object | string | undefined, name: string): string | undefined {
  const value: unknown = typeof body === 'object' ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}
