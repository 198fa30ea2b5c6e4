/**
 * Calls of the caller. A credential that may not manage the account sees only calls with its own
 * key. Leaves out what is for operators: the upstream's host and answer, and the trace of the
 * request. Bound by docs/service.md, Users' API.
 */

import { ok, type Result, refuse } from '../../errors.ts'
import { type CallPage, type CallQuery, listCalls } from '../usage/list-calls.ts'
import { type CallDetail, showCall } from '../usage/show-call.ts'
import { type AccountCaller, findManageRefusal } from './may-manage.ts'

/** Lists ended calls of the caller, newest first. Refuses as `listCalls` does. */
export function listOwnCalls(
  ports: Parameters<typeof listCalls>[0],
  caller: AccountCaller,
  query: CallQuery,
): Promise<Result<CallPage>> {
  const { keyHash, uid } = caller.principal
  const key = findManageRefusal(caller) === undefined ? undefined : keyHash
  return listCalls(ports, { ...query, user: uid, key })
}

export type OwnCall = Omit<CallDetail, 'excerpt' | 'traceId' | 'upstreamHost' | 'username'>

/** Refuses with `not_found` a call of another user, or of a key that the caller may not see. */
export async function showOwnCall(
  ports: Parameters<typeof showCall>[0],
  caller: AccountCaller,
  call: { readonly callId: string; readonly keptSinceMs: number },
): Promise<Result<OwnCall>> {
  const { keyHash, uid } = caller.principal
  const found = await showCall(ports, { ...call, uid })
  if (!found.ok) return found.error.code === 'not_found' ? refuseUnknownCall() : found
  const { excerpt: _1, traceId: _2, upstreamHost: _3, username: _4, ...shown } = found.value
  const isOwn = shown.keyId === keyHash || findManageRefusal(caller) === undefined
  return isOwn ? ok(shown) : refuseUnknownCall()
}

function refuseUnknownCall(): Result<never> {
  return refuse(
    'not_found',
    'callId: you have no ended call with this id. A call that still runs, or that was refused before its price was held, is not there.',
  )
}
