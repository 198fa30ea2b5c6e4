/**
 * The MCP servers of the proxied calls of bench:mcp, a process of its own. `/weather` takes as long
 * as an API does. `/hostile` says 10,000 things before it answers.
 */
import { createServer, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenAndPrint } from './yardstick.ts'

/** What a tool takes. */
const TOOL_MS = 20
const NOTICES = 10_000

type Message = {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly arguments?: { readonly city?: string } }
}

const server = createServer(async (request, response) => {
  const { id, method, params } = (await json(request)) as Message
  if (method !== 'tools/call') {
    return answer(response, id, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
  }
  const text = JSON.stringify({ city: params?.arguments?.city, weather: 'sunny', celsius: 21 })
  const result = { resultType: 'complete', content: [{ type: 'text', text }] }
  if (request.url === '/hostile') return say(response, id, result)
  setTimeout(() => answer(response, id, result), TOOL_MS)
})

function answer(response: ServerResponse, id: unknown, result: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const NOTICE = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
const FLOOD = NOTICE.repeat(NOTICES)

function say(response: ServerResponse, id: unknown, result: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(FLOOD)
  response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
}

listenAndPrint(server)
