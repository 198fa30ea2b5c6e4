/**
 * Reads params of methods that several revisions share. An optional member that is null is treated
 * as absent, because some serialisers write null. Bound by the schemas of 2024-11-05 to 2026-07-28
 * (InitializeRequest, PaginatedRequest, CallToolRequest).
 */
import { ok, type Result } from '../errors.ts'
import { findChangedNumbers } from '../json/changed-numbers.ts'
import { writeCursorRule } from '../json/cursor.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { RpcError, RpcRequest } from '../jsonrpc/message.ts'
import { readIdAt } from '../jsonrpc/read-message.ts'
import { readKeyMeta } from './idempotency-key.ts'
import type { CallToolIntent, Intent, ProgressToken } from './intent.ts'
import { refuseParams } from './rpc-errors.ts'

/** UTF-16 units of a requested tool name. This is MCP's limit; listed names are shorter. */
export const TOOL_NAME_LENGTH_MAX = 128
/** UTF-16 units. The gateway's own cursors are far shorter. */
export const CURSOR_LENGTH_MAX = 1024

/** Ignores a version that is not a string; the client then gets the latest one. */
export function readInitialize({
  capabilities,
  protocolVersion,
}: JsonObject): Result<Intent, RpcError> {
  const version = typeof protocolVersion === 'string' ? protocolVersion : undefined
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  const showsLinks = isJsonObject(elicitation) && isJsonObject(elicitation['url'])
  return ok({ kind: 'initialize', version, ...(showsLinks ? { showsLinks } : {}) })
}

export function readPing(): Result<Intent, RpcError> {
  return ok({ kind: 'ping' })
}

export function readListTools(params: JsonObject): Result<Intent, RpcError> {
  const cursor = params['cursor'] ?? undefined
  if (cursor === undefined) return ok({ kind: 'list-tools', cursor })
  if (typeof cursor !== 'string' || cursor.length > CURSOR_LENGTH_MAX) {
    return refuseParams(`params.cursor: ${writeCursorRule()}`)
  }
  return ok({ kind: 'list-tools', cursor })
}

export function readCallTool(
  params: JsonObject,
  _request: RpcRequest,
  text: string,
): Result<CallToolIntent, RpcError> {
  const name = params['name']
  if (typeof name !== 'string' || name === '') {
    return refuseParams('params.name: must be the name of a tool from tools/list')
  }
  if (name.length > TOOL_NAME_LENGTH_MAX) {
    return refuseParams(`params.name: is over ${TOOL_NAME_LENGTH_MAX} characters; see tools/list`)
  }
  const args = params['arguments'] ?? {}
  if (!isJsonObject(args)) {
    return refuseParams(`params.arguments: ${notArguments(args)}`)
  }
  const meta = readMeta(params, text)
  if (!meta.ok) return meta
  const changed = findChangedNumbers(text, ['params', 'arguments'])
  const call = { kind: 'call-tool', name, arguments: args, ...meta.value } as const
  return ok(changed.length === 0 ? call : { ...call, changedNumbers: changed })
}

type CallMeta = Pick<CallToolIntent, 'clientCallId' | 'idempotencyKey' | 'progressToken'>

/** Absent members are left out. */
function readMeta(params: JsonObject, text: string): Result<CallMeta, RpcError> {
  const meta = params['_meta'] ?? {}
  if (!isJsonObject(meta)) return refuseParams('params._meta: must be an object; leave it out')
  const token = readProgressToken(meta, text)
  if (!token.ok) return token
  const key = readKeyMeta(meta)
  if (!key.ok) return key
  const clientCallId = clientCallIdIn(meta)
  return ok({
    ...(token.value === undefined ? {} : { progressToken: token.value }),
    ...(key.value === undefined ? {} : { idempotencyKey: key.value }),
    ...(clientCallId === undefined ? {} : { clientCallId }),
  })
}

/**
 * The model's id of its call, as Claude Code and Codex send it: for the record of the call, so that two calls of one
 * decision are found. Models number calls as they like, so nothing is answered by it.
 */
function clientCallIdIn(meta: JsonObject): string | undefined {
  const sent = meta['claudecode/toolUseId'] ?? meta['callId']
  return typeof sent === 'string' ? sent : undefined
}

/** Some clients send the arguments as the model wrote them: as JSON in a string. */
function notArguments(sent: Json): string {
  return typeof sent === 'string'
    ? 'was sent as a text; send the JSON object itself, without quotes around it'
    : 'must be an object with the arguments by name'
}

function readProgressToken(
  meta: JsonObject,
  text: string,
): Result<ProgressToken | undefined, RpcError> {
  const value = meta['progressToken'] ?? undefined
  const path = ['params', '_meta', 'progressToken']
  const token = readIdAt(value, text, path, 'leave it out where no progress is wanted')
  switch (token.kind) {
    case 'absent':
      return ok(undefined)
    case 'id':
      return ok(token.id)
    case 'bad':
      return refuseParams(token.why)
    default:
      return token satisfies never
  }
}
