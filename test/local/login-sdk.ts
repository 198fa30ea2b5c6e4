/** The official TypeScript client with what it needs to log in, kept in memory. */
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CALLBACK } from './login-client.ts'

export async function connectSdk(gateway: string, provider: OAuthClientProvider): Promise<Client> {
  const agent = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway}/mcp`), {
    authProvider: provider,
  })
  await agent.connect(transport as Transport)
  return agent
}

/** Keeps in memory what the SDK gives it, and the page that a person would open. */
export function makeProvider(): Omit<OAuthClientProvider, 'tokens'> & {
  opened(): URL
  tokens(): TokensOfSdk
} {
  let [information, tokens, verifier]: [Information, TokensOfSdk, string] = [
    undefined,
    undefined,
    '',
  ]
  let page: URL | undefined
  return {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Test', redirect_uris: [CALLBACK] },
    clientInformation: () => information,
    saveClientInformation: (saved) => {
      information = saved
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    redirectToAuthorization: (url) => {
      page = url
    },
    opened: () => page ?? new URL('about:blank'),
  }
}

type Information = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
type TokensOfSdk = Awaited<ReturnType<OAuthClientProvider['tokens']>>
