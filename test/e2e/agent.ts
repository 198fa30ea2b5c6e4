/**
 * An agent on the official client, independent of our own code: Client and SSEClientTransport of
 * `@modelcontextprotocol/sdk`, observed from outside (its posts, its streams).
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { readJsonObject } from './fields.ts'

export type Agent = {
  readonly client: Client
  /** Methods of the messages posted so far; `response` for answers to the server. */
  readonly posted: readonly string[]
  /** The URL that it posts to at the moment. */
  endpoint(): string | undefined
  /** Calls a tool; its text blocks joined. Rejects with McpError for a JSON-RPC error. */
  call(name: string, args?: { readonly [name: string]: unknown }): Promise<ToolReply>
  toolNames(): Promise<readonly string[]>
  close(): Promise<void>
}

export type ToolReply = { readonly text: string; readonly isError: boolean }

/** Connects; anonymous without a key. Rejects with SseError when the stream is refused. */
export async function connectAgent(sse: string, key?: string): Promise<Agent> {
  const posted: string[] = []
  const transport = new SSEClientTransport(new URL(sse), {
    ...credentials(key),
    fetch: async (url, init) => {
      if (init?.method === 'POST') posted.push(methodOf(String(init.body)))
      return fetch(url, init)
    },
  })
  const client = new Client({ name: 'e2e', version: '1.0.0' })
  // Some tests cut streams on purpose; the calls themselves show whether the client works.
  client.onerror = () => {}
  await client.connect(transport)
  return {
    client,
    posted,
    endpoint: () => transport['_endpoint']?.href,
    call: async (name, args = {}) => {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
      const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      return { text, isError: result.isError === true }
    },
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  }
}

/**
 * As the transport's documentation asks: for the POSTs, and for the request that opens the stream.
 */
function credentials(key: string | undefined) {
  if (key === undefined) return {}
  const authorization = `Bearer ${key}`
  return {
    requestInit: { headers: { Authorization: authorization } },
    eventSourceInit: {
      fetch: (url: string | URL, init: RequestInit) => {
        const headers = new Headers(init.headers)
        headers.set('Authorization', authorization)
        return fetch(url, { ...init, headers })
      },
    },
  }
}

function methodOf(body: string): string {
  const { method } = readJsonObject(body)
  return typeof method === 'string' ? method : 'response'
}
