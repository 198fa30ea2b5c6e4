/**
 * Converts a message of a known revision to work, or to the refusal that answers it. A method that
 * is not in the revision's table is refused with -32601. Bound by docs/protocol.md, Status codes of
 * POST /mcp.
 */
import { err, type Result } from '../errors.ts'
import { isJsonObject } from '../json/json.ts'
import {
  type IdText,
  RPC_METHOD_NOT_FOUND,
  type RpcError,
  type RpcMessage,
  type RpcRequest,
} from '../jsonrpc/message.ts'
import type { ReadFailure } from '../jsonrpc/read-message.ts'
import type { ClassifiedRefusal, Single, Work } from './classified.ts'
import type { Intent } from './intent.ts'
import type { Era, Revision } from './revision.ts'
import { refuseParams, toUnknownMethodError } from './rpc-errors.ts'

/** The legacy era sends this error with 200; the modern era answers with 404. */
const UNKNOWN_METHOD_STATUS: { readonly [era in Era]: number } = { legacy: 200, modern: 404 }
const IN_BAND_STATUS = 200
const GATE_STATUS = 400

export function toWork(revision: Revision, message: RpcMessage, text: string): Single {
  switch (message.kind) {
    case 'request':
      return requestToWork(revision, message, text)
    case 'notification':
      return { kind: 'notification', revision, notice: revision.readNotification(message, text) }
    case 'response':
      return message
    default:
      return message satisfies never
  }
}

export function requestToWork(
  revision: Revision,
  request: RpcRequest,
  text: string,
): Work | ClassifiedRefusal {
  const { id, method } = request
  const intent = readIntent(revision, request, text)
  if (intent.ok) return { kind: 'request', revision, id, method, intent: intent.value }
  const isUnknown = intent.error.code === RPC_METHOD_NOT_FOUND
  const status = isUnknown ? UNKNOWN_METHOD_STATUS[revision.era] : IN_BAND_STATUS
  return refuseRequest(status, id, intent.error)
}

/**
 * Refuses input that is not a message, or is over a limit. The door has checked the body's size.
 */
export function refuseUnreadable({ error, id }: ReadFailure): ClassifiedRefusal {
  return refuseRequest(GATE_STATUS, id, error)
}

/** Refuses a message before any handler runs. */
export function refuseAtGate(message: RpcMessage, error: RpcError): ClassifiedRefusal {
  return refuseRequest(GATE_STATUS, message.kind === 'request' ? message.id : null, error)
}

export function refuseRequest(
  status: number,
  id: IdText | null,
  error: RpcError,
): ClassifiedRefusal {
  return { kind: 'refused', status, id, error }
}

/** Reads the intent. Refuses invalid params with -32602. `text` is the message as posted. */
export function readIntent(
  revision: Pick<Revision, 'requests'>,
  request: RpcRequest,
  text: string,
): Result<Intent, RpcError> {
  const read = revision.requests.get(request.method)
  if (read === undefined) return err(toUnknownMethodError(request.method, revision.requests.keys()))
  const params = request.params ?? {}
  if (!isJsonObject(params)) return refuseParams('params: must be an object, not an array')
  return read(params, request, text)
}
