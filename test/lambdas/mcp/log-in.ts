/** A client that logged in: its tokens come from POST /token of the door, as a program gets them. */
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeCode, makeHandle, toLoginId } from '../../../core/login/tokens.ts'
import { SETTINGS, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'

export const LOGIN_SETTINGS = {
  ...SETTINGS,
  login: { issuer: 'https://mcp.example', redirectHosts: [] },
}

const CLIENT_ID = 'https://client.example/id'
const CALLBACK = 'http://127.0.0.1/callback'
const VERIFIER = 'v'.repeat(43)

export type LoggedIn = {
  /** The id under which the login is stored. */
  readonly id: string
  /** The Authorization header of the newest access token. */
  bearer(): string
  /** Refreshes, and returns the Authorization header of the next token. */
  refresh(): Promise<string>
}

/** A person with the key allows the client; then the client exchanges its code. */
export async function logIn(
  world: World,
  door: StreamingHandler,
  key: { readonly uid: string; readonly keyHash: string },
  nonce = 'nonce',
): Promise<LoggedIn> {
  const { clock, digests, logins } = world.ports
  const secret = await logins.secret()
  const handle = makeHandle(digests, secret, nonce)
  const id = toLoginId(digests, handle)
  const nowMs = clock.nowMs()
  await logins.create({
    id,
    ...key,
    username: key.uid,
    keyPrefix: 'sgk_ab12',
    clientHash: digests.sha256(CLIENT_ID),
    clientName: 'Test',
    redirectUri: CALLBACK,
    challenge: digests.sha256(VERIFIER),
    generation: 0,
    createdAtMs: nowMs,
    rotatedAtMs: nowMs,
    tokenHashes: [],
    version: 1,
  })
  let tokens = await askTokens(door, {
    grant_type: 'authorization_code',
    code: makeCode(digests, secret, handle),
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  })
  return {
    id,
    bearer: () => `Bearer ${tokens.access}`,
    async refresh() {
      tokens = await askTokens(door, { grant_type: 'refresh_token', refresh_token: tokens.refresh })
      return `Bearer ${tokens.access}`
    },
  }
}

async function askTokens(door: StreamingHandler, form: { readonly [name: string]: string }) {
  const out = await ask(door, 'POST', '/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: CLIENT_ID, ...form }).toString(),
  })
  if (out.status !== 200) throw new Error(`${out.status} ${out.text}`)
  const { access_token: access, refresh_token: refresh } = out.json()
  return { access: String(access), refresh: String(refresh) }
}
