/**
 * An agent on the official client of Streamable HTTP: Client and StreamableHTTPClientTransport of
 * `@modelcontextprotocol/sdk`, observed from outside (its requests and their answers).
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ToolReply } from './agent.ts'
import { readJsonObject } from './fields.ts'

export type StreamableAgent = {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  /** One entry for each HTTP request: `POST tools/call 200 application/json`. */
  readonly exchanges: readonly string[]
  call(name: string, args?: { readonly [name: string]: unknown }): Promise<ToolReply>
  toolNames(): Promise<readonly string[]>
}

/**
 * Connects; anonymous without a key. `prepare` gets the client before it declares its capabilities.
 */
export async function connectStreamable(
  mcp: string,
  options: { readonly key?: string; readonly prepare?: (client: Client) => void } = {},
): Promise<StreamableAgent> {
  const exchanges: string[] = []
  const { key, prepare } = options
  const transport = new StreamableHTTPClientTransport(new URL(mcp), {
    requestInit: { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } },
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      const type = answer.headers.get('content-type')?.split(';')[0] ?? '-'
      exchanges.push(`${init?.method} ${methodOf(init?.body)} ${answer.status} ${type}`)
      return answer
    },
  })
  const client = new Client(
    { name: 'e2e', version: '1.0.0' },
    { capabilities: prepare === undefined ? {} : { elicitation: {} } },
  )
  client.onerror = () => {}
  prepare?.(client)
  // The SDK's own types disagree about `undefined` under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return {
    client,
    transport,
    exchanges,
    call: async (name, args = {}) => {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      return { text, isError: result.isError === true }
    },
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
  }
}

function methodOf(body: unknown): string {
  if (typeof body !== 'string') return '-'
  const { method } = readJsonObject(body)
  return typeof method === 'string' ? method : 'response'
}
