/**
 * Writes the JSON-RPC messages of the gateway as a client of an MCP server. Each has an envelope of
 * its own: nothing of the agent's own request is copied. Bound by MCP 2026-07-28,
 * basic/transports/streamable-http, and the transports of the revisions before.
 */
import { encodeHeaderText } from '../../core/json/header-text.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { isModern, type Peer } from './peer.ts'

/** A request to a server, in the terms of any revision. */
export type RpcCall = {
  readonly method: string
  readonly params: JsonObject
  /** The member of `params` that `Mcp-Name` repeats. */
  readonly named?: 'name' | 'taskId' | 'uri'
  /** Members of `params` that only modern servers know. */
  readonly modernParams?: JsonObject
  /** What a modern server may ask before its result. */
  readonly capabilities: JsonObject
  /** What a legacy server may ask while the request runs. */
  readonly legacyCapabilities?: JsonObject
  /** Headers of this request alone, for modern servers. */
  readonly headers?: { readonly [name: string]: string }
  /** Members of `_meta` beside those of the protocol. */
  readonly meta?: JsonObject
}

export type RpcMessage = {
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const META = 'io.modelcontextprotocol/'

/** The gateway as it introduces itself to servers. */
export type ClientInfo = { readonly name: string; readonly version: string }

export function writeRequest(
  peer: Peer,
  call: RpcCall,
  { client, id }: { readonly client: ClientInfo; readonly id: string },
): RpcMessage {
  const { capabilities, meta = {}, method, modernParams, named, params } = call
  if (!isModern(peer)) {
    const all = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
    return { headers: legacyHeaders(peer), body: write({ id, method, params: all }) }
  }
  const envelope = {
    [`${META}protocolVersion`]: peer.version,
    [`${META}clientInfo`]: client,
    [`${META}clientCapabilities`]: capabilities,
  }
  const name = named === undefined ? undefined : params[named]
  return {
    headers: {
      ...call.headers,
      ...HEADERS,
      'mcp-protocol-version': peer.version,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderText(name) } : {}),
    },
    body: write({
      id,
      method,
      params: { ...params, ...modernParams, _meta: { ...meta, ...envelope } },
    }),
  }
}

/** A notification, or an answer to a request of the server; both for legacy servers alone. */
export function writeLegacy(
  peer: Peer,
  message:
    | { readonly method: string; readonly params?: JsonObject }
    | { readonly id: Json; readonly result: JsonObject }
    | { readonly id: Json; readonly error: { readonly code: number; readonly message: string } },
): RpcMessage {
  return { headers: legacyHeaders(peer), body: write(message) }
}

/** `initialize` has no version header: servers that do not know it refuse the request. */
export function writeInitialize(
  version: string,
  capabilities: JsonObject,
  { client, id }: { readonly client: ClientInfo; readonly id: string },
): RpcMessage {
  const params = { protocolVersion: version, capabilities, clientInfo: client }
  return { headers: HEADERS, body: write({ id, method: 'initialize', params }) }
}

/** For the stream on which a server sends what belongs to no request. */
export function writeListen(peer: Peer): Pick<RpcMessage, 'headers'> {
  const { 'content-type': _, ...headers } = legacyHeaders(peer)
  return { headers: { ...headers, accept: 'text/event-stream' } }
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

function legacyHeaders({ sessionId, version }: Peer): { readonly [name: string]: string } {
  return {
    ...HEADERS,
    'mcp-protocol-version': version,
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
  }
}

function write(message: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message })
}
