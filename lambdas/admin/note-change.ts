/**
 * The log's lines about administrators: what was changed, by ids alone, and a credential that was
 * refused. Names no secret, no value, and of a key only its start.
 */
import type { AdminRequest } from '../../adapters/http/admin-kit.ts'
import { headerOf } from '../../adapters/http/request.ts'
import { keyStartOf } from '../../core/access/key-start.ts'
import type { Refusal } from '../../core/errors.ts'
import type { AdminPorts, Route, RoutedRequest } from './route.ts'

type Log = Pick<AdminPorts, 'log'>

/** An agent's key that was sent here by mistake is shown by its start; an admin key not at all. */
export function noteRefused({ log }: Log, request: AdminRequest, { code }: Refusal): void {
  const sent = headerOf(request, 'x-admin-key') ?? headerOf(request, 'authorization')
  log.note('info', 'admin-refused', { code, keyStart: keyStartOf(sent) })
}

/** A request that only reads changes nothing and has no line. */
export function noteChange(
  { log }: Log,
  { method, operationId }: Route,
  { params }: RoutedRequest,
  { body, status }: { readonly body: object | string | undefined; readonly status: number },
): void {
  if (method === 'GET') return
  log.note('info', 'admin-changed', {
    operation: operationId,
    status,
    uid: params['uid'] ?? textIn(body, 'uid'),
    skillId: params['skillId'],
    tool: textIn(body, 'toolName'),
  })
}

function textIn(body: object | string | undefined, name: string): string | undefined {
  const value: unknown = typeof body === 'object' ? Reflect.get(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}
