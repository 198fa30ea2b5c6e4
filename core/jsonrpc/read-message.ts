/**
 * Reads posted bytes as JSON-RPC messages, or returns the error that answers them, with the id if it can be read. Checks the
 * envelope only, no method and no params; an array is accepted, and MCP code decides whether the revision has batches.
 * `params: null` counts as absent, since some serialisers write it. Bound by JSON-RPC 2.0.
 * The id is kept as JSON text, so that it goes back exactly as it came: 0 is an id, null is not. 1.5 and 1e2 are refused,
 * because clients that compare texts would not recognise them in the reply (MCP 2024-11-05: string or integer).
 */
import { err, ok, type Refusal, type Result } from '../errors.ts'
import { numberText } from '../json/changed-numbers.ts'
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

/** UTF-16 units; the longest method name of any MCP revision has 36. */
export const METHOD_LENGTH_MAX = 128

/** The reason why there is no message. `code` decides the HTTP status (400 or 413). */
export type ReadFault = {
  readonly error: RpcError
  /** Null when there is no readable id; the reply then has a null id. */
  readonly id: IdText | null
  readonly code: 'malformed' | 'too_large'
}

/** One message, or an array whose items are not read yet. `text` is the source of both. */
type PostedBody =
  | { readonly kind: 'message'; readonly message: RpcMessage; readonly text: string }
  | { readonly kind: 'batch'; readonly values: readonly Json[]; readonly text: string }

/** {@link readPosted} for transports that take one message at a time: an array is -32600. */
export function readMessage(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<RpcMessage, ReadFault> {
  const posted = readPosted(input, limits)
  if (!posted.ok) return posted
  if (posted.value.kind === 'message') return ok(posted.value.message)
  return refused('body: there are no batches here; send one message per POST', null)
}

/** -32700 for text that is not JSON, -32600 for other faults and for exceeded limits. Never throws. */
export function readPosted(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<PostedBody, ReadFault> {
  const read = readText(input, limits)
  if (!read.ok) return unparsed(read.error, null)
  const text = read.value
  const parsed = parseText(text, limits)
  if (!parsed.ok) return unparsed(parsed.error, idIn(text, parsed.error) ?? null)
  if (Array.isArray(parsed.value)) return ok({ kind: 'batch', values: parsed.value, text })
  const message = readEnvelope(parsed.value, text)
  return message.ok ? ok({ kind: 'message', message: message.value, text }) : message
}

/** `value` was parsed from the whole of `text`; an item of a batch comes with its own text. */
export function readEnvelope(value: Json, text: string): Result<RpcMessage, ReadFault> {
  if (!isJsonObject(value)) return refused('body: must be a JSON-RPC 2.0 message object', null)
  const id = readId(value, text)
  const idText = id.kind === 'id' ? id.id : null
  if (value['jsonrpc'] !== '2.0') return refused('jsonrpc: must be the string "2.0"', idText)
  if (value['method'] === undefined) return readResponse(value, id)
  if (id.kind === 'bad') return refused(id.why, null)
  return readCall(value, idText)
}

/** Request or notification. */
function readCall(value: JsonObject, id: IdText | null): Result<RpcMessage, ReadFault> {
  const method = value['method']
  if (typeof method !== 'string' || method === '') {
    return refused('method: must be a string that is not empty', id)
  }
  if (method.length > METHOD_LENGTH_MAX) {
    return refused(`method: is over ${METHOD_LENGTH_MAX} characters; no method has such a name`, id)
  }
  const params = value['params'] ?? undefined
  if (params !== undefined && typeof params !== 'object') {
    return refused('params: must be an object; leave it out when there are none', id)
  }
  return ok(
    id === null
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params },
  )
}

/** An error may answer a message whose id was unreadable, so its id may be null or absent. */
function readResponse(value: JsonObject, id: ReadId): Result<RpcMessage, ReadFault> {
  const { error, result } = value
  if (error === undefined && result === undefined) {
    const idText = id.kind === 'id' ? id.id : null
    return refused('method: is missing; name one, as in "tools/list"', idText)
  }
  const answer = error === undefined ? { result: result ?? null } : { error: rpcErrorOf(error) }
  if (id.kind === 'id') return ok({ kind: 'response', id: id.id, answer })
  const hasNoId = id.kind === 'absent' || value['id'] === null
  if ('error' in answer && hasNoId) return ok({ kind: 'response', id: 'null', answer })
  return refused(id.kind === 'bad' ? id.why : 'id: is missing; a response names its request', null)
}

/** A client's error is taken as it is; one without a code gets a general code. */
function rpcErrorOf(error: Json): RpcError {
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : RPC_INTERNAL_ERROR,
    message: typeof message === 'string' ? message : '',
    ...(data === undefined ? {} : { data }),
  }
}

/** Faults mean that the text was valid JSON, so it can be parsed again for its id alone. Of an id given twice neither is taken. */
function idIn(text: string, { faults }: Refusal): IdText | undefined {
  if (faults?.every(({ pointer }) => pointer !== '/id') !== true) return undefined
  const value: Json = JSON.parse(text)
  const id = isJsonObject(value) ? readId(value, text) : undefined
  return id?.kind === 'id' ? id.id : undefined
}

function unparsed(refusal: Refusal, id: IdText | null): Result<never, ReadFault> {
  if (refusal.code === 'too_large') {
    return err({ error: invalidRequest(refusal.detail), id, code: 'too_large' })
  }
  if (refusal.faults !== undefined) return refused(refusal.detail, id)
  return err({ error: { code: RPC_PARSE_ERROR, message: refusal.detail }, id, code: 'malformed' })
}

function refused(message: string, id: IdText | null): Result<never, ReadFault> {
  return err({ error: invalidRequest(message), id, code: 'malformed' })
}

function invalidRequest(message: string): RpcError {
  return { code: RPC_INVALID_REQUEST, message }
}

/** UTF-16 units of a string id; a UUID has 36. The session stores the id until it is answered. */
export const ID_LENGTH_MAX = 256

/** Characters of a number id as posted: 64-bit integers have 20. */
export const ID_NUMBER_LENGTH_MAX = 64

/** 1.0 is how some languages write the integer 1. */
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
 * `value` is the value at `path` (member names, outermost first) in `text`. Progress tokens have
 * the same form. `remedy` completes the fault of a value that is neither string nor number.
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
  if (typeof value === 'number') return readNumberId(numberText(text, path, value), where)
  return bad(where, `must be a string or an integer; ${remedy}`)
}

function readStringId(value: string, where: string): ReadId {
  if (value.length > ID_LENGTH_MAX)
    return bad(where, `is over ${ID_LENGTH_MAX} characters; use a UUID`)
  if (!value.isWellFormed())
    return bad(where, 'holds half of a surrogate pair; send whole characters')
  return { kind: 'id', id: JSON.stringify(value) }
}

function readNumberId(posted: string, where: string): ReadId {
  if (posted.length > ID_NUMBER_LENGTH_MAX) {
    return bad(where, `is over ${ID_NUMBER_LENGTH_MAX} characters; use a shorter one or a string`)
  }
  if (!INTEGER.test(posted)) {
    return bad(where, 'is not an integer; write it without fraction or exponent')
  }
  return { kind: 'id', id: posted }
}

function bad(where: string, problem: string): ReadId {
  return { kind: 'bad', why: `${where}: ${problem}` }
}
