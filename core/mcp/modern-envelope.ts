/**
 * Reads the envelope in `params._meta` with a modern request's version and its client's
 * capabilities. A body with the version's key is modern, even if malformed; any other body is not.
 * Bound by MCP 2026-07-28, basic, _meta, and ADR 0025.
 * Headers repeat parts of the envelope, so that proxies can route without reading the body. Router
 * and server must see the same values, so a missing or contradicting header ends the request.
 * `Mcp-Param-*` depends on the tool and is checked with the call. Bound by MCP 2026-07-28,
 * basic/transports/streamable-http, Server validation.
 */
import { err, ok, type Result } from '../errors.ts'
import { decodeHeaderText, trimHeaderSpace } from '../json/header-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { RpcError, RpcRequest } from '../jsonrpc/message.ts'
import type { PostedMessage } from './classified.ts'
import { toHeaderMismatchError } from './rpc-errors.ts'

export const VERSION_META = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities'
export const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo'

/** UTF-16 units of a version. All existing versions have 10. */
export const VERSION_LENGTH_MAX = 64

/** Returns `_meta` if it has the version's key; undefined for a message that is not modern. */
export function findModernMeta(params: Json | undefined): JsonObject | undefined {
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  return isJsonObject(meta) && Object.hasOwn(meta, VERSION_META) ? meta : undefined
}

/** Returns the envelope's version, or the text of a -32602 error. */
export function readEnvelope(meta: JsonObject): Result<string, string> {
  const version = meta[VERSION_META]
  if (typeof version !== 'string' || version === '' || version.length > VERSION_LENGTH_MAX) {
    return refuseEnvelope(
      VERSION_META,
      `must be a version of at most ${VERSION_LENGTH_MAX} characters`,
    )
  }
  if (!isJsonObject(meta[CAPABILITIES_META])) {
    return refuseEnvelope(CAPABILITIES_META, 'must be an object; {} where there are none')
  }
  const client = meta[CLIENT_INFO_META]
  if (client !== undefined && toClientText(client) === undefined) {
    return refuseEnvelope(CLIENT_INFO_META, 'must be an object with the strings name and version')
  }
  return ok(version)
}

/** Returns `name/version` of the client in a checked envelope; undefined without a client. */
export function readClientName(meta: JsonObject): string | undefined {
  return toClientText(meta[CLIENT_INFO_META])
}

/** Returns `name/version` of a clientInfo of any revision; undefined for other values. */
export function toClientText(info: Json | undefined): string | undefined {
  if (!isJsonObject(info)) return undefined
  const { name, version } = info
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return `${name}/${version}`
}

function refuseEnvelope(key: string, problem: string): Result<never, string> {
  return err(`params._meta["${key}"]: ${problem}`)
}

const VERSION_HEADER = 'mcp-protocol-version'
const METHOD_HEADER = 'mcp-method'
const NAME_HEADER = 'mcp-name'
const PARAM_PREFIX = 'mcp-param-'

/** By method, the param that `Mcp-Name` repeats, also for methods that are not served. */
const NAME_PARAMS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** Returns the version header without surrounding white space. */
export function readVersionHeader(posted: PostedMessage): string | undefined {
  const value = posted.header(VERSION_HEADER)
  return value === undefined ? undefined : trimHeaderSpace(value)
}

/** Checks headers that contradict the body. Missing headers are checked after the version. */
export function findContradiction(
  posted: PostedMessage,
  request: RpcRequest,
  version: string,
): RpcError | undefined {
  const named = readVersionHeader(posted)
  if (named !== undefined && named !== version) {
    return toHeaderMismatchError('MCP-Protocol-Version: differs from the version in params._meta')
  }
  const method = posted.header(METHOD_HEADER)
  if (method === undefined || trimHeaderSpace(method) === request.method) return undefined
  return toHeaderMismatchError('Mcp-Method: differs from the method in the body')
}

/** Checks for missing headers, and for an `Mcp-Name` that differs from the body. */
export function findOmission(posted: PostedMessage, request: RpcRequest): RpcError | undefined {
  if (posted.header(VERSION_HEADER) === undefined) {
    return toHeaderMismatchError(
      'MCP-Protocol-Version: is missing; send the version in params._meta',
    )
  }
  if (posted.header(METHOD_HEADER) === undefined) {
    return toHeaderMismatchError('Mcp-Method: is missing; send the method of the body')
  }
  const member = NAME_PARAMS.get(request.method)
  return member === undefined ? undefined : checkName(posted, request, member)
}

/** Accepts a body without a name here, because its params are refused later. */
function checkName(
  posted: PostedMessage,
  { params }: RpcRequest,
  member: string,
): RpcError | undefined {
  const name = isJsonObject(params) ? params[member] : undefined
  const header = posted.header(NAME_HEADER)
  if (header === undefined) {
    if (typeof name !== 'string') return undefined
    return toHeaderMismatchError(`Mcp-Name: is missing; send params.${member} of the body`)
  }
  const text = decodeHeaderText(header)
  if (text === undefined) {
    return toHeaderMismatchError('Mcp-Name: cannot be read; send ASCII, or =?base64?…?= of UTF-8')
  }
  if (typeof name !== 'string' || text === name) return undefined
  return toHeaderMismatchError(`Mcp-Name: differs from params.${member} in the body`)
}

/** Returns `Mcp-Param-*` headers by name without the prefix, with unchanged values. */
export function readParamHeaderMap(posted: PostedMessage): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name of posted.headerNames()) {
    const value = name.startsWith(PARAM_PREFIX) ? posted.header(name) : undefined
    if (value !== undefined) found.set(name.slice(PARAM_PREFIX.length), value)
  }
  return found
}
