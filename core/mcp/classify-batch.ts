/**
 * Classifies an array of messages, which only one legacy revision allows. The whole array is
 * refused if it is too long, or has modern messages or a handshake; otherwise each item is
 * classified separately. Bound by MCP 2025-03-26, basic, JSON-RPC Batching; JSON-RPC 2.0 section 6.
 */
import { splitItemTexts } from '../json/item-texts.ts'
import { isJsonObject, type Json } from '../json/json.ts'
import { readEnvelope } from '../jsonrpc/read-message.ts'
import type { Classification, Single } from './classified.ts'
import { INITIALIZE_METHOD } from './methods.ts'
import { findModernMeta } from './modern-envelope.ts'
import type { Revision } from './revision.ts'
import { toInvalidRequestError } from './rpc-errors.ts'
import { refuseRequest, refuseUnreadable, toWork } from './to-work.ts'

/** Messages in one POST. Each may be a call, and all share one time limit. */
export const BATCH_MESSAGES_MAX = 50

/** `revision` is the header's; `values` were parsed from `text`. */
export function classifyBatch(
  revision: Revision,
  values: readonly Json[],
  text: string,
): Classification {
  const wrong = checkBatch(revision, values)
  if (wrong !== undefined) return refuseRequest(400, null, toInvalidRequestError(wrong))
  const texts = splitItemTexts(text)
  const items = values.map((value, index) => classifyItem(revision, value, texts[index] ?? ''))
  return { kind: 'batch', revision, items }
}

function checkBatch(revision: Revision, values: readonly Json[]): string | undefined {
  if (values.length === 0) return 'body: is an empty array; send one message'
  if (values.length > BATCH_MESSAGES_MAX) {
    return `body: has over ${BATCH_MESSAGES_MAX} messages; send fewer at a time`
  }
  if (values.some((value) => findModernMeta(readMember(value, 'params')) !== undefined)) {
    return 'body: modern messages come one by one; send one per POST'
  }
  if (!revision.batches) {
    return `body: ${revision.version} has no batches; send one message per POST`
  }
  if (values.some((value) => readMember(value, 'method') === INITIALIZE_METHOD)) {
    return 'body: initialize comes alone; send it in a POST of its own'
  }
  return undefined
}

function readMember(value: Json, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function classifyItem(revision: Revision, value: Json, text: string): Single {
  const message = readEnvelope(value, text)
  return message.ok ? toWork(revision, message.value, text) : refuseUnreadable(message.error)
}
