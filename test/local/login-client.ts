/** A client of the login that a test drives step by step, with PKCE as a program does it. */
import { createHash, randomBytes } from 'node:crypto'
import { logIn } from './login-person.ts'

export const CALLBACK = 'http://127.0.0.1:4711/callback'
const VERIFIER = 'v'.repeat(50)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

export type Tokens = {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
}

export type LoginClient = {
  readonly clientId: string
  authorizeUrl(change?: { readonly [name: string]: string | undefined }): URL
  /** POST /token with these fields and those of the client. */
  ask(fields: { readonly [name: string]: string }): Promise<{ status: number; body: unknown }>
  exchange(
    code: string,
    change?: { readonly [name: string]: string },
  ): ReturnType<LoginClient['ask']>
  refresh(token: string): ReturnType<LoginClient['ask']>
  logIn(key: string): Promise<Tokens>
}

export async function register(
  gateway: string,
  body: object,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${gateway}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

export async function makeClient(gateway: string): Promise<LoginClient> {
  const { body, status } = await register(gateway, {
    client_name: 'Test',
    redirect_uris: [CALLBACK],
  })
  if (status !== 201) throw new Error(`a registration: ${status} ${JSON.stringify(body)}`)
  return clientOf(gateway, String(Reflect.get(Object(body), 'client_id')))
}

export function clientOf(gateway: string, clientId: string): LoginClient {
  const ask: LoginClient['ask'] = async (fields) => {
    const answer = await fetch(`${gateway}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, ...fields }).toString(),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const authorizeUrl: LoginClient['authorizeUrl'] = (change = {}) => {
    const url = new URL(`${gateway}/authorize`)
    const query = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: randomBytes(8).toString('base64url'),
      resource: `${gateway}/mcp`,
      ...change,
    }
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    return url
  }
  const exchange: LoginClient['exchange'] = (code, change = {}) =>
    ask({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...change,
    })
  return {
    clientId,
    ask,
    authorizeUrl,
    exchange,
    refresh: (token) => ask({ grant_type: 'refresh_token', refresh_token: token }),
    async logIn(key) {
      const callback = await logIn(gateway, authorizeUrl(), key)
      return tokensOf(await exchange(callback.searchParams.get('code') ?? ''))
    },
  }
}

/** The tokens of an answer of POST /token; throws if it has none. */
export function tokensOf({ body, status }: { status: number; body: unknown }): Tokens {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  // A cast, as in parsers: the tests read what the endpoint promises.
  return body as Tokens
}
