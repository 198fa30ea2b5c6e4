/**
 * The only place that writes JSON-RPC envelopes. One line of JSON each, without CR or LF, as the
 * SSE frame needs it. Ids go in verbatim: they are JSON text already.
 */
import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from './message.ts'

export function resultReply(id: IdText, result: Json): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`
}

/** `id` is null where the request's could not be read. */
export function errorReply(id: IdText | null, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify(error)}}`
}

/** A request of ours, as `ping`. */
export function requestText(id: IdText, method: string, params?: Json): string {
  return `{"jsonrpc":"2.0","id":${id},${callText(method, params)}}`
}

export function notificationText(method: string, params?: Json): string {
  return `{"jsonrpc":"2.0",${callText(method, params)}}`
}

/** `params` is JSON text already, as it must be where an id stands in it as posted. */
export function notificationWith(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

/** As {@link resultReply}, for a result that is JSON text already. */
export function resultTextReply(id: IdText, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

function callText(method: string, params: Json | undefined): string {
  const name = `"method":${JSON.stringify(method)}`
  return params === undefined ? name : `${name},"params":${JSON.stringify(params)}`
}
