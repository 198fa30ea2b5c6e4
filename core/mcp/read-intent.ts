/** Reads a request by its revision's method table; a method that is not in the table is -32601. */
import type { Result } from '../errors.ts'
import { err } from '../errors.ts'
import { isJsonObject } from '../json/json.ts'
import type { RpcError, RpcRequest } from '../jsonrpc/message.ts'
import type { Intent } from './intent.ts'
import type { Revision } from './revision.ts'
import { badParams, unknownMethod } from './rpc-errors.ts'

/** -32602 for params that do not fit the method. `text` is the message as posted. */
export function readIntent(
  revision: Pick<Revision, 'requests'>,
  request: RpcRequest,
  text: string,
): Result<Intent, RpcError> {
  const read = revision.requests.get(request.method)
  if (read === undefined) return err(unknownMethod(request.method, revision.requests.keys()))
  const params = request.params ?? {}
  if (!isJsonObject(params)) return badParams('params: must be an object, not an array')
  return read(params, request, text)
}
