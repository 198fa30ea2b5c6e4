/**
 * The only place that writes JSON-RPC envelopes. Each is one line of JSON without CR or LF, as an
 * SSE event needs. Ids are inserted verbatim, because they are JSON text already.
 */
import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from './message.ts'

export function resultReply(id: IdText, result: Json): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`
}

/** `id` is null when the request's id could not be read. */
export function errorReply(id: IdText | null, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify(error)}}`
}

/** A request from us to the client, such as `ping`. */
export function requestText(id: IdText, method: string, params?: Json): string {
  return `{"jsonrpc":"2.0","id":${id},${callText(method, params)}}`
}

export function notificationText(method: string, params?: Json): string {
  return `{"jsonrpc":"2.0",${callText(method, params)}}`
}

/** `params` is JSON text already, because an id in it must go out as it was posted. */
export function notificationWith(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

/** {@link resultReply} for a result that is JSON text already. */
export function resultTextReply(id: IdText, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

function callText(method: string, params: Json | undefined): string {
  const name = `"method":${JSON.stringify(method)}`
  return params === undefined ? name : `${name},"params":${JSON.stringify(params)}`
}
