/**
 * MCP servers on 127.0.0.1 made with the official SDK of the revisions with a handshake: with
 * sessions over streams, with sessions over JSON, and without sessions.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'

const INSTALLED = {
  Server,
  StreamableHTTPServerTransport,
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
}

export type SdkMode = 'sessions-sse' | 'sessions-json' | 'stateless'

export type SdkServer = {
  readonly url: string
  /** Names of tools, in the order in which they ran. */
  readonly ran: readonly string[]
  /** Calls of `wait` that were cancelled. */
  readonly cancelled: readonly string[]
  /** Ends all sessions, as a restart does. */
  forget(): void
  close(): void
}

/** `sdk`: another release than the installed one. */
export async function startSdkServer(mode: SdkMode, sdk = INSTALLED): Promise<SdkServer> {
  const ran: string[] = []
  const cancelled: string[] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const open = async () => {
    const transport = new sdk.StreamableHTTPServerTransport({
      ...(mode === 'stateless'
        ? { sessionIdGenerator: undefined }
        : {
            sessionIdGenerator: () => randomUUID(),
            onsessioninitialized: (id: string) => void sessions.set(id, transport),
          }),
      enableJsonResponse: mode === 'sessions-json',
    } as ConstructorParameters<typeof StreamableHTTPServerTransport>[0])
    await makeServer(sdk, ran, cancelled).connect(transport as Parameters<Server['connect']>[0])
    return transport
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (typeof id === 'string' && known === undefined) return void response.writeHead(404).end()
    await (known ?? (await open())).handleRequest(request, response)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    ran,
    cancelled,
    forget: () => sessions.clear(),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const NO_ARGUMENTS = { type: 'object' as const, properties: {} }
const NUMBERS = {
  type: 'object' as const,
  properties: { a: { type: 'number' }, b: { type: 'number' } },
}

function makeServer(sdk: typeof INSTALLED, ran: string[], cancelled: string[]): Server {
  const server = new sdk.Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: ['add', 'fail', 'wait', 'steps', 'greet', 'ask'].map((name) => ({
      name,
      inputSchema: name === 'add' ? NUMBERS : NO_ARGUMENTS,
    })),
  }))
  server.setRequestHandler(
    sdk.CallToolRequestSchema,
    async ({ params }, { requestId, sendNotification, signal }) => {
      const { _meta, arguments: args = {}, name } = params
      ran.push(name)
      switch (name) {
        case 'add': {
          const sum = Number(args['a']) + Number(args['b'])
          return { content: [{ type: 'text', text: `${sum}` }], structuredContent: { sum } }
        }
        case 'fail':
          return { content: [{ type: 'text', text: 'no such city' }], isError: true }
        case 'wait':
          return new Promise(() => signal.addEventListener('abort', () => cancelled.push(name)))
        case 'steps':
          for (const progress of [1, 2, 3]) {
            await sleep(250)
            const progressToken = _meta?.progressToken ?? ''
            const method = 'notifications/progress' as const
            const step = { progressToken, progress, total: 3, message: `step ${progress}` }
            await sendNotification({ method, params: step })
          }
          return { content: [{ type: 'text', text: 'all steps' }] }
        case 'greet':
        case 'ask': {
          const params = {
            message: 'Who are you?',
            requestedSchema: {
              type: 'object' as const,
              properties: { name: { type: 'string' as const } },
            },
          }
          // Without the id of the request, the SDK asks on the GET stream of the session.
          const related = name === 'greet' ? { relatedRequestId: requestId } : {}
          const { action, content } = await server.elicitInput(params, related)
          return { content: [{ type: 'text', text: `${action} ${content?.['name']}` }] }
        }
        default:
          throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `Unknown tool ${name}`)
      }
    },
  )
  return server
}
