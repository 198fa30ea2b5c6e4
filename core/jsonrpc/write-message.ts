/**
 * The only place that writes JSON-RPC envelopes. Each envelope is one line of JSON without CR or
 * LF, as an SSE event needs. Ids are inserted verbatim, because they already are JSON text.
 */
import type { Json } from '../json/json.ts'
import type { IdText, RpcError } from './message.ts'

export function writeResultReply(id: IdText, result: Json): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`
}

/** `id` is null if the request's id was not readable. */
export function writeErrorReply(id: IdText | null, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${JSON.stringify(error)}}`
}

/** Writes a request of the gateway to the client, such as `ping`. */
export function writeRequest(id: IdText, method: string, params?: Json): string {
  return `{"jsonrpc":"2.0","id":${id},${methodAndParamsText(method, params)}}`
}

export function writeNotification(method: string, params?: Json): string {
  return `{"jsonrpc":"2.0",${methodAndParamsText(method, params)}}`
}

/** Takes `params` as JSON text, because an id in them must be sent exactly as it was posted. */
export function writeNotificationText(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`
}

/** {@link writeResultReply} for a result that already is JSON text. */
export function writeResultText(id: IdText, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

function methodAndParamsText(method: string, params: Json | undefined): string {
  const name = `"method":${JSON.stringify(method)}`
  return params === undefined ? name : `${name},"params":${JSON.stringify(params)}`
}
