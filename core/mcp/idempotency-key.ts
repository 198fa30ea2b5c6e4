/**
 * Reads the Idempotency-Key of a tools/call over MCP. A client of any revision sends the key in
 * `params._meta`, or in the header of a POST with one call. Refuses a malformed key, two different
 * keys for one call, and the header on a batch. Bound by docs/service.md, Idempotency-Key, and
 * ADR 0107.
 */

import { ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../jsonrpc/message.ts'
import type { Classification, PostedMessage, Single } from './classified.ts'
import { refuseParams } from './rpc-errors.ts'
import { refuseRequest } from './to-work.ts'

const KEY_META = 'skillgate/idempotency-key'
const KEY_HEADER = 'idempotency-key'

/** The same limit as over REST (core/call/idempotency.ts); a test compares them. */
export const KEY_CHARS_MAX = 128
const KEY = /^[\x21-\x7e]{1,128}$/

/**
 * The time for which answers are kept, as announced to clients: 24 h, as in
 * core/call/idempotency.ts.
 */
export const KEEP_SEC = 86_400

/** The capability announced under `extensions`, or under `experimental` before 2026-07-28. */
export const IDEMPOTENCY_CAPABILITY: JsonObject = { 'skillgate/idempotency': { keepSec: KEEP_SEC } }

const RULE = `must be 1 to ${KEY_CHARS_MAX} visible ASCII characters without spaces, such as a UUID`

/** Returns the key in `_meta`; undefined if absent or null. Refuses a malformed key. */
export function readKeyMeta(meta: JsonObject): Result<string | undefined, RpcError> {
  const key: Json | undefined = meta[KEY_META] ?? undefined
  if (key === undefined) return ok(undefined)
  if (typeof key === 'string' && KEY.test(key)) return ok(key)
  return refuseParams(`params._meta["${KEY_META}"]: ${RULE}; leave it out for none`)
}

/**
 * Adds the key of the header to a call. Other single messages ignore the header; a batch with the
 * header is refused.
 */
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

/** Refuses with HTTP 400, like other headers that contradict the body. */
function badHeader(id: Parameters<typeof refuseRequest>[1], problem: string): Single {
  const error = { code: RPC_INVALID_PARAMS, message: `Idempotency-Key: ${problem}` }
  return refuseRequest(400, id, error)
}
