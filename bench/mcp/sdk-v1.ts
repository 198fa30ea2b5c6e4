/**
 * Yardstick of bench:mcp: what one writes by hand with the official SDK v1, stateless, so a server and a
 * transport for each request; no key, no limit, no money. /call has one tool, /list has all of them:
 * calls do not pay for tools that they do not use. Takes the upstream's URL.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { printReady } from '../lib/ready.ts'
import { TOOL_DESCRIPTION, TOOL_NAMES, weatherText } from './yardstick-tools.ts'

// The SDK's own, since this repository has none.
const { z } = createRequire(import.meta.resolve('@modelcontextprotocol/sdk/types.js'))('zod')
const inputSchema = { city: z.string().min(1).max(100) }

function makeServer(names: readonly string[]): McpServer {
  const server = new McpServer({ name: 'yardstick', version: '1.0.0' })
  for (const name of names) {
    const about = { title: name, description: TOOL_DESCRIPTION, inputSchema }
    server.registerTool(name, about, async ({ city }: { city: string }) => {
      const text = await weatherText(city)
      return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
    })
  }
  return server
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = makeServer(request.url === '/list' ? TOOL_NAMES : TOOL_NAMES.slice(0, 1))
  // Without a generator of session ids it has no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => void server.close())
  // Its own types forget that a session id may be undefined.
  await server.connect(transport as Transport)
  await transport.handleRequest(request, response)
}

printReady(createServer((request, response) => void answer(request, response)))
