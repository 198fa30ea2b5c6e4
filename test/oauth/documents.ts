/**
 * Client metadata documents of published clients, as their makers document them, served on this machine in
 * place of their hosts: the gateway's own port of upstreams asks for them, with its guard and its limits.
 */
import type { TwinSeam } from '../../local/start-twin.ts'
import { startLocalServer } from '../lambda/local-server.ts'

export const CLAUDE_AI = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
export const CLAUDE_CODE = 'https://claude.ai/oauth/claude-code-client-metadata'
export const CHATGPT = 'https://chatgpt.com/oauth/a1b2c3/client.json'
export const CODEX = 'https://chatgpt.com/oauth/codex/client.json'

const CODE_GRANTS = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

const DOCUMENTS: readonly { readonly [name: string]: unknown }[] = [
  {
    client_id: CLAUDE_AI,
    client_name: 'Claude',
    redirect_uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
    ],
    token_endpoint_auth_method: 'none',
    ...CODE_GRANTS,
  },
  {
    client_id: CLAUDE_CODE,
    client_name: 'Claude Code',
    // Without a port, though the program uses one.
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
    ...CODE_GRANTS,
  },
  {
    client_id: CHATGPT,
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector/oauth/a1b2c3'],
    // It prefers to sign, and can do without.
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    ...CODE_GRANTS,
  },
  {
    client_id: CODEX,
    client_name: 'Codex',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    ...CODE_GRANTS,
  },
]

export type ServedDocuments = {
  /** For `outboundAllow`: the guard refuses private addresses otherwise. */
  readonly host: string
  /** Sends requests for the documents to this machine, by the port that the gateway has. */
  readonly seam: TwinSeam
  stop(): Promise<void>
}

export async function serveDocuments(): Promise<ServedDocuments> {
  const server = await startLocalServer(({ url = '/' }, response) => {
    const document = DOCUMENTS.find(({ client_id }) => new URL(String(client_id)).pathname === url)
    const status = document === undefined ? 404 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  })
  const hosts = new Set(DOCUMENTS.map(({ client_id }) => new URL(String(client_id)).host))
  const toLocal = (url: string) => {
    const { host, pathname } = new URL(url)
    return hosts.has(host) ? `${server.url}${pathname}` : url
  }
  const seam: TwinSeam = {
    wrapPorts: (ports) => ({
      ...ports,
      upstream: {
        ...ports.upstream,
        send: (request, limits) =>
          ports.upstream.send({ ...request, url: toLocal(request.url) }, limits),
      },
    }),
  }
  return { host: server.host, seam, stop: () => server.stop() }
}
