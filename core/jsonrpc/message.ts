/**
 * JSON-RPC 2.0 messages as MCP uses them. A request id is kept as its JSON text, so that it goes
 * back exactly as it came: `0`, `-7`, `12345678901234567890` and `"a"` all survive.
 */
import type { Json } from '../json/json.ts'

/** JSON text of a request id: `0`, `-7`, `"a"`. Two ids are equal when their texts are equal. */
export type IdText = string

export type RpcRequest = {
  readonly kind: 'request'
  readonly id: IdText
  readonly method: string
  readonly params: Json | undefined
}
export type RpcNotification = {
  readonly kind: 'notification'
  readonly method: string
  readonly params: Json | undefined
}
/** An answer to a request from us: `ping`, or a question that a running call asks the client. */
export type RpcResponse = {
  readonly kind: 'response'
  /** `null` when an error answers a message whose id its sender could not read. */
  readonly id: IdText
  readonly answer: RpcAnswer
}
export type RpcAnswer = { readonly result: Json } | { readonly error: RpcError }
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

export type RpcError = { readonly code: number; readonly message: string; readonly data?: Json }

export const RPC_PARSE_ERROR = -32700
export const RPC_INVALID_REQUEST = -32600
export const RPC_METHOD_NOT_FOUND = -32601
export const RPC_INVALID_PARAMS = -32602
export const RPC_INTERNAL_ERROR = -32603
