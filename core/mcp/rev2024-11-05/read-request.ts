/**
 * The methods of revision 2024-11-05 that this server has: who is in the table is served, all else
 * is -32601. A null where something optional may stand is taken as absent, as serialisers write it.
 * Bound by the schema of 2024-11-05 (InitializeRequest, PingRequest, ListToolsRequest, CallToolRequest).
 */
import { err, ok, type Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { isJsonObject } from '../../json/json.ts'
import type { RpcError, RpcRequest } from '../../jsonrpc/message.ts'
import { RPC_INVALID_PARAMS, RPC_METHOD_NOT_FOUND } from '../../jsonrpc/message.ts'
import type { Intent } from '../intent.ts'
import { CALL_METHOD } from '../methods.ts'

/** UTF-16 units of a tool name that is asked for; names that we list are shorter. */
export const TOOL_NAME_LENGTH_MAX = 128
/** UTF-16 units; our own cursors are far shorter. */
export const CURSOR_LENGTH_MAX = 1024
/** UTF-16 units of a method name that an error text repeats. */
const SHOWN_METHOD_LENGTH_MAX = 64

type ReadParams = (params: JsonObject) => Result<Intent, RpcError>

const METHODS: ReadonlyMap<string, ReadParams> = new Map<string, ReadParams>([
  ['initialize', () => ok({ kind: 'initialize' })],
  ['ping', () => ok({ kind: 'ping' })],
  ['tools/list', readListTools],
  [CALL_METHOD, readCallTool],
])

/** -32601 for a method that is not here, -32602 for params that do not fit it. */
export function intentOf(request: RpcRequest): Result<Intent, RpcError> {
  const read = METHODS.get(request.method)
  if (read === undefined) return err(unknownMethod(request.method))
  const params = request.params ?? {}
  return isJsonObject(params) ? read(params) : badParams('params: must be an object, not an array')
}

function readListTools(params: JsonObject): Result<Intent, RpcError> {
  const cursor = params['cursor'] ?? undefined
  if (cursor === undefined) return ok({ kind: 'list-tools', cursor })
  if (typeof cursor !== 'string' || cursor.length > CURSOR_LENGTH_MAX) {
    return badParams(
      'params.cursor: must be a nextCursor of an earlier page; leave it out to start',
    )
  }
  return ok({ kind: 'list-tools', cursor })
}

function readCallTool(params: JsonObject): Result<Intent, RpcError> {
  const name = params['name']
  if (typeof name !== 'string' || name === '') {
    return badParams('params.name: must be the name of a tool from tools/list')
  }
  if (name.length > TOOL_NAME_LENGTH_MAX) {
    return badParams(`params.name: is over ${TOOL_NAME_LENGTH_MAX} characters; see tools/list`)
  }
  const given = params['arguments'] ?? {}
  if (!isJsonObject(given)) {
    return badParams('params.arguments: must be an object with the arguments by name')
  }
  return ok({ kind: 'call-tool', name, arguments: given })
}

function unknownMethod(method: string): RpcError {
  const shown = method.slice(0, SHOWN_METHOD_LENGTH_MAX).toWellFormed()
  const served = [...METHODS.keys()].join(', ')
  const message = `method: ${JSON.stringify(shown)} is not served here; there are ${served}`
  return { code: RPC_METHOD_NOT_FOUND, message }
}

function badParams(message: string): Result<never, RpcError> {
  return err({ code: RPC_INVALID_PARAMS, message })
}
