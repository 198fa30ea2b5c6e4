/**
 * An array of messages, which only one legacy revision allows. It is refused as a whole when it is
 * too long or holds modern messages or a handshake; otherwise each item is classified by itself.
 * Bound by MCP 2025-03-26, basic, JSON-RPC Batching; JSON-RPC 2.0 section 6.
 */

import { itemTexts } from '../json/item-texts.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { readEnvelope } from '../jsonrpc/read-message.ts'
import type { Classification, ClassifiedRefusal, Single } from './classified.ts'
import { INITIALIZE_METHOD } from './methods.ts'
import { claimOf } from './modern-envelope.ts'
import type { Revision } from './revision.ts'
import { invalidRequest } from './rpc-errors.ts'
import { refused, toWork, unreadable } from './to-work.ts'

/** Messages in one POST: each may be a call, and all share one time limit. */
export const BATCH_MESSAGES_MAX = 50

/** `revision` is the one that the header names; `values` were parsed from `text`. */
export function classifyBatch(
  revision: Revision,
  values: readonly Json[],
  text: string,
): Classification {
  const fault = faultOf(revision, values)
  if (fault !== undefined) return whole(fault)
  const texts = itemTexts(text)
  const items = values.map((value, index) => classifyItem(revision, value, texts[index] ?? ''))
  return { kind: 'batch', revision, items }
}

function faultOf(revision: Revision, values: readonly Json[]): string | undefined {
  if (values.length === 0) return 'body: is an empty array; send one message'
  if (values.length > BATCH_MESSAGES_MAX) {
    return `body: has over ${BATCH_MESSAGES_MAX} messages; send fewer at a time`
  }
  if (values.some((value) => claimOf(memberOf(value, 'params')) !== undefined)) {
    return 'body: modern messages come one by one; send one per POST'
  }
  if (!revision.batches) {
    return `body: ${revision.version} has no batches; send one message per POST`
  }
  if (values.some((value) => memberOf(value, 'method') === INITIALIZE_METHOD)) {
    return 'body: initialize comes alone; send it in a POST of its own'
  }
  return undefined
}

function memberOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function classifyItem(revision: Revision, value: Json, text: string): Single {
  const message = readEnvelope(value, text)
  return message.ok ? toWork(revision, message.value, text) : unreadable(message.error)
}

function whole(fault: string): ClassifiedRefusal {
  return refused(400, null, invalidRequest(fault))
}
