/**
 * An agent that uses the official MCP SDK. It lists the tools, calls one and prints the answer.
 *   agent.ts TOOL JSON
 * SKILLGATE_KEY is the API key; SKILLGATE_MCP_URL is the address of the gateway's MCP endpoint.
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

// A failed call is a result with isError. Its text gives the reason and says that it was refunded.
const result = await client.callTool({ name, arguments: JSON.parse(json) })
console.log(result.isError === true ? 'failed:' : 'answer:', JSON.stringify(result.content))
await client.close()
