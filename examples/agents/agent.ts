/**
 * An agent by the official SDK: lists the tools, calls one, and prints its answer.
 *   agent.ts TOOL JSON
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { SKILLGATE_KEY, SKILLGATE_MCP_URL = 'http://127.0.0.1:8787/mcp' } = process.env
const [name = '', json = '{}'] = process.argv.slice(2)

const client = new Client({ name: 'example-agent', version: '1.0.0' })
const headers = { authorization: `Bearer ${SKILLGATE_KEY}` }
await client.connect(
  new StreamableHTTPClientTransport(new URL(SKILLGATE_MCP_URL), { requestInit: { headers } }),
)

const { tools } = await client.listTools()
console.log(`tools: ${tools.map((tool) => tool.name).join(', ')}`)

// A tool that fails is a result with isError; its text says why, and that the credits are back.
const result = await client.callTool({ name, arguments: JSON.parse(json) })
console.log(result.isError === true ? 'failed:' : 'answer:', JSON.stringify(result.content))
await client.close()
