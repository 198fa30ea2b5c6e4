/**
 * Posted bytes become one JSON-RPC message, or the error that answers them, with the id wherever it
 * can be read. Knows no MCP method and judges no params beyond the envelope: an array is a lawful
 * envelope that MCP refuses later. `params: null` is taken as absent, as serialisers write it.
 * Bound by JSON-RPC 2.0 and MCP 2024-11-05, which has no batches.
 */
import { err, ok, type Refusal, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isJsonObject } from '../json/json.ts'
import type { JsonLimits } from '../json/limits.ts'
import { parseText } from '../json/parse-json.ts'
import { readText } from '../json/read-text.ts'
import type { IdText, RpcError, RpcMessage } from './message.ts'
import { RPC_INVALID_REQUEST, RPC_PARSE_ERROR } from './message.ts'
import { type ReadId, readId } from './read-id.ts'

/** UTF-16 units; the longest method name of any MCP revision has 36. */
export const METHOD_LENGTH_MAX = 128

/** Why there is no message. `code` is for the HTTP answer (400 or 413). */
export type Unreadable = {
  readonly error: RpcError
  /** Null where there is none, or none that could be read: null on the wire too. */
  readonly id: IdText | null
  readonly code: 'malformed' | 'too_large'
}

/** -32700 for what is not JSON, -32600 for what is no message or past a limit. Never throws. */
export function readMessage(
  input: Uint8Array | string,
  limits: JsonLimits = {},
): Result<RpcMessage, Unreadable> {
  const text = readText(input, limits)
  if (!text.ok) return unparsed(text.error, null)
  const parsed = parseText(text.value, limits)
  if (parsed.ok) return readEnvelope(parsed.value, text.value)
  // Faults mean that it was JSON after all: read it again, only for its id.
  const held =
    parsed.error.faults === undefined ? undefined : idOf(JSON.parse(text.value), text.value)
  return unparsed(parsed.error, held ?? null)
}

function readEnvelope(value: Json, text: string): Result<RpcMessage, Unreadable> {
  if (Array.isArray(value)) {
    return refused('body: 2024-11-05 has no batches; send one message per POST', null)
  }
  if (!isJsonObject(value)) return refused('body: must be a JSON-RPC 2.0 message object', null)
  const id = readId(value, text)
  const idText = id.kind === 'id' ? id.id : null
  if (value['jsonrpc'] !== '2.0') return refused('jsonrpc: must be the string "2.0"', idText)
  if (value['method'] === undefined) return readResponse(value, id)
  if (id.kind === 'bad') return refused(id.why, null)
  return readCall(value, idText)
}

/** Request or notification. */
function readCall(value: JsonObject, id: IdText | null): Result<RpcMessage, Unreadable> {
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

/** An error that answers something unreadable has a null id, or none. */
function readResponse(value: JsonObject, id: ReadId): Result<RpcMessage, Unreadable> {
  const isError = value['error'] !== undefined
  if (!isError && value['result'] === undefined) {
    return refused(
      'method: is missing; name one, as in "tools/list"',
      id.kind === 'id' ? id.id : null,
    )
  }
  if (id.kind === 'id') return ok({ kind: 'response', id: id.id })
  const hasNoId = id.kind === 'absent' || value['id'] === null
  if (isError && hasNoId) return ok({ kind: 'response', id: 'null' })
  return refused(id.kind === 'bad' ? id.why : 'id: is missing; a response names its request', null)
}

function idOf(value: Json, text: string): IdText | undefined {
  const id: ReadId = isJsonObject(value) ? readId(value, text) : { kind: 'absent' }
  return id.kind === 'id' ? id.id : undefined
}

function unparsed(refusal: Refusal, id: IdText | null): Result<never, Unreadable> {
  if (refusal.code === 'too_large') {
    return err({ error: invalidRequest(refusal.detail), id, code: 'too_large' })
  }
  if (refusal.faults !== undefined) return refused(refusal.detail, id)
  return err({ error: { code: RPC_PARSE_ERROR, message: refusal.detail }, id, code: 'malformed' })
}

function refused(message: string, id: IdText | null): Result<never, Unreadable> {
  return err({ error: invalidRequest(message), id, code: 'malformed' })
}

function invalidRequest(message: string): RpcError {
  return { code: RPC_INVALID_REQUEST, message }
}
