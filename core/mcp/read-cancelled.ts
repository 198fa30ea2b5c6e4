/**
 * Reads an agent's notification in legacy revisions. A notification is never answered, so a
 * malformed or unknown one has no effect. Bound by CancelledNotification, which is the same in all
 * of them.
 */
import { readNumberText } from '../json/changed-numbers.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { IdText, RpcNotification } from '../jsonrpc/message.ts'
import type { Notice } from './intent.ts'
import { CANCELLED_METHOD } from './methods.ts'

const OTHER: Notice = { kind: 'other' }

/** `text` is the message as posted, because a parsed number does not show how an id was written. */
export function readCancelled(notification: RpcNotification, text: string): Notice {
  const { method, params } = notification
  if (method !== CANCELLED_METHOD || !isJsonObject(params)) return OTHER
  const requestId = readRequestId(params, text)
  return requestId === undefined ? OTHER : { kind: 'cancel', requestId }
}

/** Needs no further check: an id without a request cancels nothing. */
function readRequestId(params: JsonObject, text: string): IdText | undefined {
  const value = params['requestId']
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return readNumberText(text, ['params', 'requestId'], value)
  return undefined
}
