/** Reads `server/discover` and `subscriptions/listen`. Bound by their schemas of 2026-07-28. */
import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { Intent, ListenIntent } from '../intent.ts'
import { CAPABILITIES_META } from '../modern-envelope.ts'
import { refuseParams } from '../rpc-errors.ts'
import { LISTENED_TASKS_MAX } from '../task.ts'
import { declaresTasks } from './read-task.ts'

export function readDiscover(): Result<Intent, RpcError> {
  return ok({ kind: 'discover' })
}

/** Drops kinds of notifications that this server never sends; the acknowledgement omits them. */
export function readListen(params: JsonObject): Result<ListenIntent, RpcError> {
  const { _meta: meta, notifications } = params
  if (!isJsonObject(notifications)) {
    return refuseParams('params.notifications: must be an object, as {"toolsListChanged":true}')
  }
  const wanted = notifications['toolsListChanged'] ?? false
  if (typeof wanted !== 'boolean') {
    return refuseParams('params.notifications.toolsListChanged: must be true or false')
  }
  const { taskIds } = notifications
  if (taskIds === undefined) return ok({ kind: 'listen', toolsListChanged: wanted })
  const ids = readTaskIds(taskIds)
  if (!ids.ok) return ids
  const declared = declaresTasks(isJsonObject(meta) ? meta[CAPABILITIES_META] : undefined)
  return ok({ kind: 'listen', toolsListChanged: wanted, tasks: { ids: ids.value, declared } })
}

function readTaskIds(value: Json): Result<readonly string[], RpcError> {
  const where = 'params.notifications.taskIds'
  if (!Array.isArray(value)) return refuseParams(`${where}: must be an array of ids of tasks`)
  if (value.length > LISTENED_TASKS_MAX) {
    return refuseParams(
      `${where}: has over ${LISTENED_TASKS_MAX} ids; open another stream for more`,
    )
  }
  const ids = value.filter((id) => typeof id === 'string')
  if (ids.length < value.length) return refuseParams(`${where}: each id must be a string`)
  return ok([...new Set(ids)])
}
