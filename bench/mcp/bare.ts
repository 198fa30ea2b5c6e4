/**
 * Yardstick of bench:mcp: bare node http that parses, asks the upstream by `http.Agent` and answers; no
 * key, no limit, no money, no checks, no revision. Takes the upstream's URL.
 */
import { createServer } from 'node:http'
import { printReady } from '../lib/ready.ts'
import { TOOL_DESCRIPTION, TOOL_NAMES, weatherText } from './yardstick-tools.ts'

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1, maxLength: 100 } },
  required: ['city'],
  additionalProperties: false,
}
const tools = TOOL_NAMES.map((name) => ({
  name,
  title: name,
  description: TOOL_DESCRIPTION,
  inputSchema,
}))

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.once('end', async () => {
    const { id, method, params } = JSON.parse(text)
    const result = method === 'tools/list' ? { tools } : await callTool(params.arguments.city)
    const body = JSON.stringify({ jsonrpc: '2.0', id, result })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})

async function callTool(city: string) {
  const text = await weatherText(city)
  const content = [{ type: 'text', text }]
  return { content, structuredContent: JSON.parse(text), isError: false }
}

printReady(server)
