/** The official SDK's v1 line, which most agents have: over HTTP+SSE and over Streamable HTTP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type Agent, type Door, isReplayed, keyMeta, type TestedClient, textOf } from './agent.ts'

export const sdkV1Sse: TestedClient = {
  name: 'sdk v1 1.32.2 sse',
  // This transport does not report the negotiated revision.
  revision: undefined,
  hearsProgress: false,
  connect: async ({ sse, key }) => {
    const { callOnce: _, ...agent } = await connectV1(sseTransport(sse, key))
    // Its answers come over a stream, whose end takes the call back.
    return { ...agent, revision: undefined }
  },
}

export const sdkV1Streamable: TestedClient = {
  name: 'sdk v1 1.32.2 http',
  revision: '2025-11-25',
  hearsProgress: true,
  connect: async ({ mcp, key }: Door) => {
    const transport = new StreamableHTTPClientTransport(new URL(mcp), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    })
    // The SDK's own types do not allow for an undefined session id.
    const agent = await connectV1(transport as Transport)
    // Stateless: there is no stream that could report a change.
    return { ...agent, changes: undefined, revision: transport.protocolVersion }
  },
}

/** Everything but the negotiated revision, which only the transport knows. */
export async function connectV1(transport: Transport): Promise<Omit<Agent, 'revision'>> {
  const client = new Client({ name: 'clients', version: '1.0.0' })
  // The calls themselves show whether the client works.
  client.onerror = () => {}
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1
  })
  await client.connect(transport)
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, onProgress) => {
      const params = { name, arguments: { ...args } }
      const options = onProgress === undefined ? {} : { onprogress: onProgress }
      const result = await client.callTool(params, CallToolResultSchema, options)
      const { content, isError } = CallToolResultSchema.parse(result)
      return { text: textOf(content), isError: isError === true }
    },
    callOnce: async (name, args, key) => {
      const params = { name, arguments: { ...args }, _meta: keyMeta(key) }
      const result = await client.callTool(params, CallToolResultSchema)
      const { _meta, content, isError } = CallToolResultSchema.parse(result)
      const reply = { text: textOf(content), isError: isError === true }
      return { ...reply, isReplayed: isReplayed(_meta) }
    },
    changes: () => changes,
    close: () => client.close(),
  }
}

function sseTransport(sse: string, key: string): Transport {
  const authorization = `Bearer ${key}`
  return new SSEClientTransport(new URL(sse), {
    requestInit: { headers: { Authorization: authorization } },
    eventSourceInit: {
      fetch: (url, init) => {
        const headers = new Headers(init.headers)
        headers.set('Authorization', authorization)
        return fetch(url, { ...init, headers })
      },
    },
  })
}
