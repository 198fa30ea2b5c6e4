/**
 * Reads posted bytes as JSON-RPC messages, or returns the error that answers them, with the id if
 * it is readable. Checks only the envelope, not the method or its params. Accepts an array; MCP
 * code decides whether the revision has batches. `params: null` means absent, because some
 * serialisers write it. Bound by JSON-RPC 2.0.
 * The id is kept as JSON text, so that the reply repeats it exactly: 0 is an id, null is not. 1.5
 * and 1e2 are refused, because clients that compare texts would not recognise them in the reply
 * (MCP 2024-11-05: string or integer).
 */
import { err, ok, type Refusal, type Result } from '../errors.ts'
import { readNumberText } from '../json/changed-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { JsonLimits } from '../json/limits.ts'
import { parseText } from '../json/parse-json.ts'
import { readText } from '../json/read-text.ts'
import {
  type IdText,
  RPC_INTERNAL_ERROR,
  RPC_INVALID_REQUEST,
  RPC_PARSE_ERROR,
  type RpcError,
  type RpcMessage,
} from './message.ts'

/** UTF-16 units. The longest method name of any MCP revision has 36. */
export const METHOD_LENGTH_MAX = 128

/** Why there is no message. `code` decides the HTTP status (400 or 413). */
export type ReadFailure = {
  readonly error: RpcError
  /** Null without a readable id; the reply then has a null id. */
  readonly id: IdText | null
  readonly code: 'malformed' | 'too_large'
}

/** One message, or an array whose items are not read yet. `text` is the JSON text of either. */
type PostedBody =
  | { readonly kind: 'message'; readonly message: RpcMessage; readonly text: string }
  | { readonly kind: 'batch'; readonly values: readonly Json[]; readonly text: string }

/** {@link readPosted} for transports that take one message at a time. Refuses an array: -32600. */
export function readMessage(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<RpcMessage, ReadFailure> {
  const posted = readPosted(input, limits)
  if (!posted.ok) return posted
  if (posted.value.kind === 'message') return ok(posted.value.message)
  return refuseMessage('body: there are no batches here; send one message per POST', null)
}

/** Refuses text that is not JSON with -32700, and anything else with -32600. Never throws. */
export function readPosted(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<PostedBody, ReadFailure> {
  const read = readText(input, limits)
  if (!read.ok) return toReadFailure(read.error, null)
  const text = read.value
  const parsed = parseText(text, limits)
  if (!parsed.ok) return toReadFailure(parsed.error, findId(text, parsed.error) ?? null)
  if (Array.isArray(parsed.value)) return ok({ kind: 'batch', values: parsed.value, text })
  const message = readEnvelope(parsed.value, text)
  return message.ok ? ok({ kind: 'message', message: message.value, text }) : message
}

/** `value` was parsed from the whole `text`. An item of a batch comes with its own text. */
export function readEnvelope(value: Json, text: string): Result<RpcMessage, ReadFailure> {
  if (!isJsonObject(value))
    return refuseMessage('body: must be a JSON-RPC 2.0 message object', null)
  const id = readId(value, text)
  const idText = id.kind === 'id' ? id.id : null
  if (value['jsonrpc'] !== '2.0') return refuseMessage('jsonrpc: must be the string "2.0"', idText)
  if (value['method'] === undefined) return readResponse(value, id)
  if (id.kind === 'bad') return refuseMessage(id.why, null)
  return readCall(value, idText)
}

/** Reads a request, or without an id a notification. */
function readCall(value: JsonObject, id: IdText | null): Result<RpcMessage, ReadFailure> {
  const method = value['method']
  if (typeof method !== 'string' || method === '') {
    return refuseMessage('method: must be a string that is not empty', id)
  }
  if (method.length > METHOD_LENGTH_MAX) {
    return refuseMessage(
      `method: is over ${METHOD_LENGTH_MAX} characters; no method has such a name`,
      id,
    )
  }
  const params = value['params'] ?? undefined
  if (params !== undefined && typeof params !== 'object') {
    return refuseMessage('params: must be an object; leave it out when there are none', id)
  }
  return ok(
    id === null
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params },
  )
}

/** An error about a message with an unreadable id may itself have a null id or none. */
function readResponse(value: JsonObject, id: ReadId): Result<RpcMessage, ReadFailure> {
  const { error, result } = value
  if (error === undefined && result === undefined) {
    const idText = id.kind === 'id' ? id.id : null
    return refuseMessage('method: is missing; name one, as in "tools/list"', idText)
  }
  const answer = error === undefined ? { result: result ?? null } : { error: toRpcError(error) }
  if (id.kind === 'id') return ok({ kind: 'response', id: id.id, answer })
  const hasNoId = id.kind === 'absent' || value['id'] === null
  if ('error' in answer && hasNoId) return ok({ kind: 'response', id: 'null', answer })
  return refuseMessage(
    id.kind === 'bad' ? id.why : 'id: is missing; a response names its request',
    null,
  )
}

/** Keeps a client's error as it is. An error without a code gets a general code. */
function toRpcError(error: Json): RpcError {
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : RPC_INTERNAL_ERROR,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  }
}

/**
 * Finds the id of a refused text. A refusal with `faults` means that the text is valid JSON, so it
 * can be parsed again for the id. Returns undefined if the id itself is refused, e.g. because it is
 * given twice.
 */
function findId(text: string, { faults }: Refusal): IdText | undefined {
  if (faults?.every(({ pointer }) => pointer !== '/id') !== true) return undefined
  const value: Json = JSON.parse(text)
  const id = isJsonObject(value) ? readId(value, text) : undefined
  return id?.kind === 'id' ? id.id : undefined
}

function toReadFailure(refusal: Refusal, id: IdText | null): Result<never, ReadFailure> {
  if (refusal.code === 'too_large') {
    return err({ error: invalidRequest(refusal.detail), id, code: 'too_large' })
  }
  if (refusal.faults !== undefined) return refuseMessage(refusal.detail, id)
  return err({ error: { code: RPC_PARSE_ERROR, message: refusal.detail }, id, code: 'malformed' })
}

function refuseMessage(message: string, id: IdText | null): Result<never, ReadFailure> {
  return err({ error: invalidRequest(message), id, code: 'malformed' })
}

function invalidRequest(message: string): RpcError {
  return { code: RPC_INVALID_REQUEST, message }
}

/** UTF-16 units of a string id. A UUID has 36. The session stores the id until the reply. */
export const ID_LENGTH_MAX = 256

/** Characters of a number id as posted. 64-bit integers have 20. */
export const ID_NUMBER_LENGTH_MAX = 64

/** Some languages write the integer 1 as 1.0. */
const INTEGER = /^-?\d+(?:\.0+)?$/

type ReadId =
  | { readonly kind: 'absent' }
  | { readonly kind: 'id'; readonly id: IdText }
  | { readonly kind: 'bad'; readonly why: string }

/** `message` was parsed from `text`. */
function readId(message: JsonObject, text: string): ReadId {
  return readIdAt(message['id'], text, ['id'], 'leave it out only where no answer is wanted')
}

/**
 * Reads the id at `path` (member names, outermost first) in `text`; `value` is its parsed value.
 * Progress tokens have the same form as ids. `remedy` ends the error text for a value that is
 * neither a string nor a number.
 */
export function readIdAt(
  value: Json | undefined,
  text: string,
  path: readonly string[],
  remedy: string,
): ReadId {
  if (value === undefined) return { kind: 'absent' }
  const where = path.join('.')
  if (typeof value === 'string') return readStringId(value, where)
  if (typeof value === 'number') return readNumberId(readNumberText(text, path, value), where)
  return badId(where, `must be a string or an integer; ${remedy}`)
}

function readStringId(value: string, where: string): ReadId {
  if (value.length > ID_LENGTH_MAX)
    return badId(where, `is over ${ID_LENGTH_MAX} characters; use a UUID`)
  if (!value.isWellFormed())
    return badId(where, 'holds half of a surrogate pair; send whole characters')
  return { kind: 'id', id: JSON.stringify(value) }
}

function readNumberId(posted: string, where: string): ReadId {
  if (posted.length > ID_NUMBER_LENGTH_MAX) {
    return badId(where, `is over ${ID_NUMBER_LENGTH_MAX} characters; use a shorter one or a string`)
  }
  if (!INTEGER.test(posted)) {
    return badId(where, 'is not an integer; write it without fraction or exponent')
  }
  return { kind: 'id', id: posted }
}

function badId(where: string, problem: string): ReadId {
  return { kind: 'bad', why: `${where}: ${problem}` }
}
