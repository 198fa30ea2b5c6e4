/** Reads `server/discover` and `subscriptions/listen`. Bound by their schemas of 2026-07-28. */
import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json/json.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { Intent } from '../intent.ts'
import { refuseParams } from '../rpc-errors.ts'

export function readDiscover(): Result<Intent, RpcError> {
  return ok({ kind: 'discover' })
}

/** Drops kinds of notifications that this server never sends; the acknowledgement omits them. */
export function readListen(params: JsonObject): Result<Intent, RpcError> {
  const { notifications } = params
  if (!isJsonObject(notifications)) {
    return refuseParams('params.notifications: must be an object, as {"toolsListChanged":true}')
  }
  const wanted = notifications['toolsListChanged'] ?? false
  if (typeof wanted !== 'boolean') {
    return refuseParams('params.notifications.toolsListChanged: must be true or false')
  }
  return ok({ kind: 'listen', toolsListChanged: wanted })
}
