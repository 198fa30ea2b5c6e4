/**
 * An MCP server on 127.0.0.1 that answers by a script: the test gets each JSON-RPC message with its
 * headers and writes the HTTP answer itself.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { makeMcpClient } from '../../../adapters/mcp-client/mcp-client.ts'
import { upstreamByTarget } from '../../../adapters/upstream/by-target.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { McpLimits, McpServer } from '../../../core/ports/mcp-servers.ts'

export type Received = {
  readonly http: 'DELETE' | 'GET' | 'POST'
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly id: unknown
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
  /** The whole body. */
  readonly body: { readonly [name: string]: unknown }
}

export type Script = (received: Received, response: ServerResponse) => void

export type ScriptedServer = {
  readonly url: string
  /** `POST tools/list`, in the order of arrival. */
  readonly log: readonly string[]
  readonly received: readonly Received[]
  close(): void
}

export async function startScripted(script: Script): Promise<ScriptedServer> {
  const log: string[] = []
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const message = await readReceived(request)
    log.push(`${message.http} ${message.method}`)
    received.push(message)
    script(message, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}/mcp`, log, received, close }
}

async function readReceived(request: IncomingMessage): Promise<Received> {
  const http = request.method as Received['http']
  const body = http === 'POST' ? ((await json(request)) as Received['body']) : {}
  const { id, method = '-', params = {} } = body as Partial<Received>
  return { http, headers: request.headers, id, method, params, body }
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function answerResult(response: ServerResponse, { id }: Received, result: unknown): void {
  answerJson(response, { jsonrpc: '2.0', id, result })
}

export function answerError(
  response: ServerResponse,
  { id }: Received,
  { code, message, status = 200 }: { code: number; message: string; status?: number },
): void {
  answerJson(response, { jsonrpc: '2.0', id, error: { code, message } }, status)
}

export function beginEvents(response: ServerResponse): (message: unknown, id?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  return (message, id) => {
    const head = id === undefined ? '' : `id: ${id}\n`
    response.write(`${head}event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }
}

/** Answers `server/discover` like a server of 2026-07-28; false for other methods. */
export function answerDiscover(received: Received, response: ServerResponse): boolean {
  if (received.method !== 'server/discover') return false
  answerResult(response, received, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'Be kind.',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '7' } },
  })
  return true
}

/** Answers the handshake like a legacy server; false for other methods. */
export function answerHandshake(
  received: Received,
  response: ServerResponse,
  { sessionId, version = '2025-11-25' }: { sessionId?: string; version?: string } = {},
): boolean {
  if (received.method === 'notifications/initialized') {
    response.writeHead(202).end()
    return true
  }
  if (received.method === 'server/discover') {
    answerError(response, received, { code: -32601, message: 'Method not found' })
    return true
  }
  if (received.method !== 'initialize') return false
  if (sessionId !== undefined) response.setHeader('mcp-session-id', sessionId)
  answerResult(response, received, {
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: 'old', version: '1' },
  })
  return true
}

/** A client over the real exchange, allowed to call `urls`. */
export function openClient(urls: readonly string[], nowMs?: () => number) {
  const outboundAllow = urls.map((url) => new URL(url).host)
  const http = httpUpstream({ outboundAllow })
  const upstream = upstreamByTarget({ http })
  const client = makeMcpClient({ upstream, version: '1.2.3', ...(nowMs ? { nowMs } : {}) })
  return { ...client, close: () => http.close() }
}

export function serverAt(url: string, rest: Partial<McpServer> = {}): McpServer {
  return { url, headers: {}, sensitiveHeaders: [], uid: '', ...rest }
}

export function limitsOf(bytesMax = 1_000_000, signal = new AbortController().signal): McpLimits {
  return { bytesMax, signal }
}
