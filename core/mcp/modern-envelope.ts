/**
 * The envelope in `params._meta` with a modern request's version and its client's capabilities. A
 * body with the version's key is modern, however malformed; a body without it never is. Bound by
 * MCP 2026-07-28, basic, _meta, and ADR 0025.
 * Headers repeat parts of it, so that proxies can route without reading the body. A missing or contradicting header ends the
 * request: router and server must see the same values. `Mcp-Param-*` depends on the tool and is checked with the call. Bound
 * by MCP 2026-07-28, basic/transports/streamable-http, Server validation.
 */
import { err, ok, type Result } from '../errors.ts'
import { decodeHeaderText, withoutOuterSpace } from '../json/header-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { RpcError, RpcRequest } from '../jsonrpc/message.ts'
import type { PostedMessage } from './classified.ts'
import { headerMismatch } from './rpc-errors.ts'

export const VERSION_META = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities'
export const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel'
const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo'

/** UTF-16 units of a version; all that exist have 10. */
export const VERSION_LENGTH_MAX = 64

/** `_meta` if it has the version's key; undefined when the message does not claim to be modern. */
export function claimOf(params: Json | undefined): JsonObject | undefined {
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  return isJsonObject(meta) && Object.hasOwn(meta, VERSION_META) ? meta : undefined
}

/** The envelope's version, or the text of a -32602 error. */
export function readEnvelope(meta: JsonObject): Result<string, string> {
  const version = meta[VERSION_META]
  if (typeof version !== 'string' || version === '' || version.length > VERSION_LENGTH_MAX) {
    return fault(VERSION_META, `must be a version of at most ${VERSION_LENGTH_MAX} characters`)
  }
  if (!isJsonObject(meta[CAPABILITIES_META])) {
    return fault(CAPABILITIES_META, 'must be an object; {} where there are none')
  }
  const client = meta[CLIENT_INFO_META]
  if (client !== undefined && clientText(client) === undefined) {
    return fault(CLIENT_INFO_META, 'must be an object with the strings name and version')
  }
  return ok(version)
}

/** `name/version` of the client behind a checked envelope; undefined when it does not say. */
export function clientOf(meta: JsonObject): string | undefined {
  return clientText(meta[CLIENT_INFO_META])
}

/** `name/version` of a clientInfo, of any revision; undefined for anything else. */
export function clientText(info: Json | undefined): string | undefined {
  if (!isJsonObject(info)) return undefined
  const { name, version } = info
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return `${name}/${version}`
}

function fault(key: string, problem: string): Result<never, string> {
  return err(`params._meta["${key}"]: ${problem}`)
}

const VERSION_HEADER = 'mcp-protocol-version'
const METHOD_HEADER = 'mcp-method'
const NAME_HEADER = 'mcp-name'
const PARAM_PREFIX = 'mcp-param-'

/**
 * The param that `Mcp-Name` repeats, by method, including methods of extensions not served here.
 */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/** The header without surrounding white space; undefined when absent. */
export function versionHeader(posted: PostedMessage): string | undefined {
  const value = posted.header(VERSION_HEADER)
  return value === undefined ? undefined : withoutOuterSpace(value)
}

/**
 * Faults of headers that contradict the body. Missing ones are judged once the version is known.
 */
export function contradiction(
  posted: PostedMessage,
  request: RpcRequest,
  version: string,
): RpcError | undefined {
  const named = versionHeader(posted)
  if (named !== undefined && named !== version) {
    return headerMismatch('MCP-Protocol-Version: differs from the version in params._meta')
  }
  const method = posted.header(METHOD_HEADER)
  if (method === undefined || withoutOuterSpace(method) === request.method) return undefined
  return headerMismatch('Mcp-Method: differs from the method in the body')
}

/** The fault of a header that is missing, or of an `Mcp-Name` that differs from the body. */
export function omission(posted: PostedMessage, request: RpcRequest): RpcError | undefined {
  if (posted.header(VERSION_HEADER) === undefined) {
    return headerMismatch('MCP-Protocol-Version: is missing; send the version in params._meta')
  }
  if (posted.header(METHOD_HEADER) === undefined) {
    return headerMismatch('Mcp-Method: is missing; send the method of the body')
  }
  const member = NAMED.get(request.method)
  return member === undefined ? undefined : nameFault(posted, request, member)
}

/** A body without a name is refused for its params, not for this header. */
function nameFault(
  posted: PostedMessage,
  { params }: RpcRequest,
  member: string,
): RpcError | undefined {
  const name = isJsonObject(params) ? params[member] : undefined
  const header = posted.header(NAME_HEADER)
  if (header === undefined) {
    if (typeof name !== 'string') return undefined
    return headerMismatch(`Mcp-Name: is missing; send params.${member} of the body`)
  }
  const text = decodeHeaderText(header)
  if (text === undefined) {
    return headerMismatch('Mcp-Name: cannot be read; send ASCII, or =?base64?…?= of UTF-8')
  }
  if (typeof name !== 'string' || text === name) return undefined
  return headerMismatch(`Mcp-Name: differs from params.${member} in the body`)
}

/** `Mcp-Param-*` by name without the prefix, values as sent. */
export function paramHeaders(posted: PostedMessage): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name of posted.headerNames()) {
    const value = name.startsWith(PARAM_PREFIX) ? posted.header(name) : undefined
    if (value !== undefined) found.set(name.slice(PARAM_PREFIX.length), value)
  }
  return found
}
