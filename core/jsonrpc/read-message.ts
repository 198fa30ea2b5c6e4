/**
 * Reads posted bytes as JSON-RPC messages, or returns the error that answers them, with the id if
 * it can be read. Checks the envelope only, no method and no params; an array is accepted, and MCP
 * code decides whether the revision has batches. `params: null` counts as absent, since some
 * serialisers write it. Bound by JSON-RPC 2.0.
 */
import { err, ok, type Refusal, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import type { JsonLimits } from '../json/limits.ts'
import { parseText } from '../json/parse-json.ts'
import { readText } from '../json/read-text.ts'
import type { IdText, RpcError, RpcMessage } from './message.ts'
import { RPC_INTERNAL_ERROR, RPC_INVALID_REQUEST, RPC_PARSE_ERROR } from './message.ts'
import { type ReadId, readId } from './read-id.ts'

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
export type PostedBody =
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

/**
 * -32700 for text that is not JSON, -32600 for other faults and for exceeded limits. Never throws.
 */
export function readPosted(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<PostedBody, ReadFault> {
  const read = readText(input, limits)
  if (!read.ok) return unparsed(read.error, null)
  const text = read.value
  const parsed = parseText(text, limits)
  if (!parsed.ok) {
    return unparsed(parsed.error, idIn(text, parsed.error) ?? null)
  }
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
  const isReadable = faults?.every(({ pointer }) => pointer !== '/id') ?? false
  return isReadable ? idOf(JSON.parse(text), text) : undefined
}

function idOf(value: Json, text: string): IdText | undefined {
  const id: ReadId = isJsonObject(value) ? readId(value, text) : { kind: 'absent' }
  return id.kind === 'id' ? id.id : undefined
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
