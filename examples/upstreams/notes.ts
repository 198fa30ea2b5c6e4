/**
 * An MCP server with three tools, on port 3002, made with the official SDK. It keeps notes until it
 * ends. Each request is answered by itself: the server keeps no sessions.
 */
import { createServer } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const notes: string[] = []

const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const TOOLS = [
  { name: 'add_note', description: 'Keeps a short text.', inputSchema: TEXT },
  { name: 'list_notes', description: 'Lists all notes.', inputSchema: { type: 'object' } },
  { name: 'delete_notes', description: 'Deletes all notes.', inputSchema: { type: 'object' } },
]

function callTool(name: string, text: unknown): string {
  if (name === 'add_note') notes.push(String(text))
  if (name === 'delete_notes') notes.length = 0
  return notes.length === 0 ? 'There are no notes.' : notes.join('\n')
}

function makeServer(): Server {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS as never }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: callTool(params.name, params.arguments?.['text']) }],
  }))
  return server
}

const http = createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => void transport.close())
  await makeServer().connect(transport as never)
  await transport.handleRequest(request, response)
})
http.listen(3002, '127.0.0.1', () => console.log('The MCP server of the examples is ready.'))
