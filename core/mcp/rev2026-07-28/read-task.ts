/**
 * Reads the requests of the extension io.modelcontextprotocol/tasks. Whether a request declared it
 * is judged with the caller. Bound by MCP 2026-07-28, ext-tasks.
 */

import { ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { RpcError, RpcRequest } from '../../jsonrpc/message.ts'
import type { TaskIntent } from '../intent.ts'
import { CAPABILITIES_META } from '../modern-envelope.ts'
import { refuseParams } from '../rpc-errors.ts'
import { TASKS_EXTENSION } from '../task.ts'
import { readResponses } from './read-responses.ts'

/** True if a client's capabilities, as a request has them, name the extension. */
export function declaresTasks(capabilities: Json | undefined): boolean {
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION])
}

export function readTaskRequest(action: TaskIntent['action']) {
  return (params: JsonObject, _request: RpcRequest, text: string): Result<TaskIntent, RpcError> => {
    const { _meta: meta, inputResponses, taskId } = params
    if (typeof taskId !== 'string') return refuseParams('params.taskId: must be the id of a task')
    const responses =
      action === 'update' ? readResponses(inputResponses ?? null, text) : ok(undefined)
    if (!responses.ok) return responses
    const answered = responses.value === undefined ? {} : { responses: responses.value }
    const capabilities = isJsonObject(meta) ? meta[CAPABILITIES_META] : undefined
    const declared = declaresTasks(capabilities)
    return ok({ kind: 'task', action, taskId, declared, ...answered })
  }
}
