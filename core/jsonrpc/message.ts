/**
 * JSON-RPC 2.0 messages as MCP uses them. A request id is kept as its JSON text, so that the reply
 * repeats it exactly: `0`, `-7`, `12345678901234567890` and `"a"` all stay as they are.
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
/** The client's answer to a request of the gateway: `ping`, or a question of a running call. */
export type RpcResponse = {
  readonly kind: 'response'
  /** `null` in an error about a message whose id the client could not read. */
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
