/**
 * What an agent's notification asks for in the legacy revisions. A notification is never answered, so
 * one that is malformed or unknown asks for nothing. Bound by CancelledNotification, alike in all.
 */
import { isJsonObject, type JsonObject } from '../json/json.ts'
import { numberText } from '../json/number-text.ts'
import type { IdText, RpcNotification } from '../jsonrpc/message.ts'
import type { Notice } from './intent.ts'
import { CANCELLED_METHOD } from './methods.ts'

const OTHER: Notice = { kind: 'other' }

/** `text` is the message as posted: a parsed number no longer tells how its id was written. */
export function readCancelled(notification: RpcNotification, text: string): Notice {
  const { method, params } = notification
  if (method !== CANCELLED_METHOD || !isJsonObject(params)) return OTHER
  const requestId = requestIdOf(params, text)
  return requestId === undefined ? OTHER : { kind: 'cancel', requestId }
}

/** Not judged further: an id that no request has cancels nothing. */
function requestIdOf(params: JsonObject, text: string): IdText | undefined {
  const value = params['requestId']
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return numberText(text, ['params', 'requestId'], value)
  return undefined
}
