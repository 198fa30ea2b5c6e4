/** The official MCP server (SDK v1, stateless) on 127.0.0.1; a test changes its tools while it runs. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../../core/json/json.ts'

export type ToolServer = {
  readonly url: string
  /** Requests by method, in the order of their arrival. */
  readonly asked: string[]
  /** Values of Authorization, in the order of arrival. */
  readonly keys: (string | undefined)[]
  /** What it lists from now on. */
  tools: readonly JsonObject[]
  /** While set, every request gets this status. */
  down: number | undefined
  /** While set, lists are refused with this message. */
  refusal: string | undefined
  close(): void
}

/** A tool that needs one text. */
export function toolOf(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    ...more,
  }
}

export async function startToolServer(tools: readonly JsonObject[]): Promise<ToolServer> {
  const http = createServer(async (request, response) => {
    server.keys.push(request.headers.authorization)
    if (server.down !== undefined) {
      response.writeHead(server.down).end()
      return
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.on('close', () => void transport.close())
    // The SDK's types are not made for exactOptionalPropertyTypes.
    await makeServer(server).connect(transport as never)
    await transport.handleRequest(request, response)
  })
  await listen(http)
  const { port } = http.address() as AddressInfo
  const server: ToolServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    asked: [],
    keys: [],
    tools,
    down: undefined,
    refusal: undefined,
    close: () => {
      http.close()
      http.closeAllConnections()
    },
  }
  return server
}

function makeServer(state: ToolServer): Server {
  const server = new Server({ name: 'tools', version: '1.2.3' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => {
    state.asked.push('tools/list')
    if (state.refusal !== undefined) throw new Error(state.refusal)
    return { tools: state.tools as never }
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    state.asked.push(`tools/call ${params.name}`)
    return { content: [{ type: 'text', text: `${params.name}: ${params.arguments?.['text']}` }] }
  })
  return server
}

function listen(server: HttpServer): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}
