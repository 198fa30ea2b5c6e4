/**
 * An MCP server (SDK v1) on 127.0.0.1 with the resources and prompts that the official suite reads.
 * It is registered as the upstream `test`, so that its prompts have the names of the suite.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type LocalServer, startLocalServer } from '../lambda/local-server.ts'
import { PNG } from './answers.ts'

export const MCP_UPSTREAM_ID = 'test'

/** The settings to register, without the digest of their plan. */
export function mcpUpstreamSettings(origin: string): object {
  return { url: `${origin}/mcp`, prefix: 'held', resources: true, refresh_minutes: 0 }
}

/** A client takes URIs from lists; the suite knows those of its own server. */
export function toGatewayUris(text: string): string {
  const here = `skillgate://upstreams/${MCP_UPSTREAM_ID}/test://`
  return text
    .replace(/^test:\/\/(?=static-|template\/)/, here)
    .replace(/"uri":"test:\/\/(?=static-|template\/)/, `"uri":"${here}`)
}

export function startMcpUpstream(): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
}

type Handled = Parameters<Parameters<typeof startLocalServer>[0]>

async function serve(request: Handled[0], response: Handled[1]): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => void transport.close())
  // The SDK's types are not made for exactOptionalPropertyTypes.
  await makeServer().connect(transport as never)
  await transport.handleRequest(request, response)
}

function makeServer(): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const server = new Server({ name: 'fixtures', version: '1.0.0' }, { capabilities })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: RESOURCES }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({
    contents: [read(params.uri)],
  }))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({ name, description: `The fixture ${name}.` })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const contents = PROMPTS[params.name]?.(params.arguments ?? {}) ?? []
    return { messages: contents.map((content) => ({ role: 'user', content })) as never }
  })
  return server
}

const RESOURCES = [
  { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png' },
]

function read(uri: string) {
  if (uri === 'test://static-text') return { uri, mimeType: 'text/plain', text: 'A static text.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id === undefined) throw new McpError(-32_002, 'Resource not found')
  return { uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `Of ${id}` }) }
}

type Texts = { readonly [name: string]: string }

const PROMPTS: { readonly [name: string]: (texts: Texts) => readonly object[] } = {
  simple_prompt: () => [{ type: 'text', text: 'This is a simple prompt for testing.' }],
  prompt_with_arguments: ({ arg1 = '', arg2 = '' }) => [
    { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
  ],
  prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    {
      type: 'resource',
      resource: { uri: resourceUri, mimeType: 'text/plain', text: 'An embedded resource.' },
    },
    { type: 'text', text: 'Read the resource above.' },
  ],
  prompt_with_image: () => [
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { type: 'text', text: 'Look at the image above.' },
  ],
}
