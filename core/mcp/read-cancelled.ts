/**
 * Reads an agent's notification in the legacy revisions. A notification is never answered, so a
 * malformed or unknown one has no effect. Bound by CancelledNotification, the same in all.
 */

import { numberText } from '../json/changed-numbers.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { IdText, RpcNotification } from '../jsonrpc/message.ts'
import type { Notice } from './intent.ts'
import { CANCELLED_METHOD } from './methods.ts'

const OTHER: Notice = { kind: 'other' }

/**
 * `text` is the message as posted, because a parsed number no longer shows how its id was written.
 */
export function readCancelled(notification: RpcNotification, text: string): Notice {
  const { method, params } = notification
  if (method !== CANCELLED_METHOD || !isJsonObject(params)) return OTHER
  const requestId = requestIdOf(params, text)
  return requestId === undefined ? OTHER : { kind: 'cancel', requestId }
}

/** Not checked further: an id that matches no request cancels nothing. */
function requestIdOf(params: JsonObject, text: string): IdText | undefined {
  const value = params['requestId']
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return numberText(text, ['params', 'requestId'], value)
  return undefined
}
