/**
 * What programs with an official TypeScript SDK give it to log in: memory for what the SDK learns, and the way
 * to the person's browser. Version 2 calls the same members as version 1, and two more.
 */
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { CALLBACK, type Person } from './agent.ts'

export type Provider = OAuthClientProvider & {
  /** The callback of the last page that was allowed; once. */
  takeCallback(): URL | undefined
  loseClient(): void
}

type Information = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
type Discovered = Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0] | undefined
type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>

export function makeProvider(person: Person, clientName: string): Provider {
  let information: Information
  let tokens: Tokens
  let verifier = ''
  let callback: URL | undefined
  let discovered: Discovered
  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
    },
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
    redirectToAuthorization: async (url) => {
      callback = await person(url)
    },
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'client') information = undefined
      if (scope === 'all' || scope === 'tokens') tokens = undefined
      if (scope === 'all' || scope === 'discovery') discovered = undefined
    },
    discoveryState: () => discovered,
    saveDiscoveryState: (state) => {
      discovered = state
    },
    loseClient: () => {
      const id = information?.client_id ?? ''
      information = { ...information, client_id: `${id.slice(0, -4)}AAAA` }
    },
    takeCallback: () => {
      const taken = callback
      callback = undefined
      return taken
    },
  }
}

/**
 * Runs `work`. If it failed because the SDK sent the person to a page, and the person allowed it, ends the login
 * by `finish` and runs `again`.
 */
export async function withLogin<T>(
  provider: Provider,
  steps: { work(): Promise<T>; finish(callback: URL): Promise<void>; again(): Promise<T> },
): Promise<T> {
  try {
    return await steps.work()
  } catch (cause) {
    const callback = provider.takeCallback()
    if (callback === undefined) throw cause
    await steps.finish(callback)
    return steps.again()
  }
}
