/**
 * Headers that repeat parts of a modern request's body, so that proxies can route without reading
 * it. A missing or contradicting header ends the request: router and server must see the same
 * values. `Mcp-Param-*` depends on the tool and is checked with the call. Bound by MCP 2026-07-28,
 * basic/transports/streamable-http, Server validation.
 */
import { decodeHeaderText, withoutOuterSpace } from '../json/header-text.ts'
import { isJsonObject } from '../json/json.ts'
import type { RpcError, RpcRequest } from '../jsonrpc/message.ts'
import type { PostedMessage } from './classified.ts'
import { headerMismatch } from './rpc-errors.ts'

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
