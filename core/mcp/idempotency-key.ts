/**
 * The key under which a client has a call made once: in `params._meta` of a tools/call of any revision, or in
 * the header of a POST with that one call. Bound by docs/service.md, Idempotency-Key, and ADR 0107.
 */

import { ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../jsonrpc/message.ts'
import type { Classification, PostedMessage, Single } from './classified.ts'
import { refuseParams } from './rpc-errors.ts'
import { refuseRequest } from './to-work.ts'

const KEY_META = 'skillgate/idempotency-key'
const KEY_HEADER = 'idempotency-key'

/** As over REST (core/call/idempotency.ts; a test compares them). */
export const KEY_CHARS_MAX = 128
const KEY = /^[\x21-\x7e]{1,128}$/

/** How long answers are kept, for clients: 24 h, as core/call/idempotency.ts keeps them. */
export const KEEP_SEC = 86_400

/** What the gateway announces under `extensions`, or `experimental` before 2026-07-28. */
export const IDEMPOTENCY_CAPABILITY: JsonObject = { 'skillgate/idempotency': { keepSec: KEEP_SEC } }

const RULE = `must be 1 to ${KEY_CHARS_MAX} visible ASCII characters without spaces, such as a UUID`

/** Undefined when absent or null. */
export function readKeyMeta(meta: JsonObject): Result<string | undefined, RpcError> {
  const key: Json | undefined = meta[KEY_META] ?? undefined
  if (key === undefined) return ok(undefined)
  if (typeof key === 'string' && KEY.test(key)) return ok(key)
  return refuseParams(`params._meta["${KEY_META}"]: ${RULE}; leave it out for none`)
}

/** Adds the header's key to a call. Other single messages ignore the header; a batch may not have one. */
export function withKeyHeader(posted: PostedMessage, message: Classification): Classification {
  const header = posted.header(KEY_HEADER)
  if (header === undefined) return message
  if (message.kind === 'batch') {
    return badHeader(null, `is for one call; send keys in params._meta["${KEY_META}"] of each`)
  }
  return message.kind === 'request' ? withKey(message, header) : message
}

function withKey(work: Extract<Single, { kind: 'request' }>, header: string): Single {
  const { id, intent } = work
  if (intent.kind !== 'call-tool') return work
  if (!KEY.test(header)) return badHeader(id, RULE)
  const { idempotencyKey = header } = intent
  if (idempotencyKey === header) return { ...work, intent: { ...intent, idempotencyKey } }
  return badHeader(id, `differs from params._meta["${KEY_META}"]; send one key`)
}

/** HTTP 400, as other headers that contradict the body. */
function badHeader(id: Parameters<typeof refuseRequest>[1], problem: string): Single {
  const error = { code: RPC_INVALID_PARAMS, message: `Idempotency-Key: ${problem}` }
  return refuseRequest(400, id, error)
}
