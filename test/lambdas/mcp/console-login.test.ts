/** The console as a client of the gateway's own login: who gets the scope `account`. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf } from './agent.ts'
import { LOGIN_SETTINGS } from './log-in.ts'

const CONSOLE = {
  client_id: 'skillgate-console',
  redirect_uri: 'https://admin.example/v1/console/',
}
const VERIFIER = 'v'.repeat(43)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const SCOPE = 'tools:call account'

let world: World
let door: StreamingHandler
let key: string

beforeEach(async () => {
  world = makeWorld({ ...LOGIN_SETTINGS, adminUrl: 'https://admin.example/v1/admin' })
  door = doorOf(world)
  key = (await world.user('ada')).replace('Bearer ', '')
})

type Query = { readonly [name: string]: string }

function open(more: Query = {}) {
  const query = {
    response_type: 'code',
    code_challenge: world.ports.digests.sha256(VERIFIER),
    code_challenge_method: 'S256',
    scope: SCOPE,
    ...CONSOLE,
    ...more,
  }
  return ask(door, 'GET', '/authorize', { query: new URLSearchParams(query).toString() })
}

/** Sends the form of a page, as a browser does. */
function send(page: Awaited<ReturnType<typeof open>>, cookie: string, more: Query) {
  const fields = new URLSearchParams(more)
  for (const [, name = '', value = ''] of page.text.matchAll(
    /type="hidden" name="([^"]+)" value="([^"]*)"/g,
  )) {
    const text = value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    fields.set(name, text)
  }
  return ask(door, 'POST', '/authorize', { headers: { ...FORM, cookie }, body: fields.toString() })
}

/** Logs in with the key; returns the text of the second page and the answer with tokens. */
async function logIn(client: Query) {
  const first = await open(client)
  const [cookie = ''] = String(first.headers['set-cookie']).split(';')
  const consent = await send(first, cookie, { key })
  const allowed = await send(consent, cookie, { decision: 'allow' })
  const code = new URL(String(allowed.headers['location'])).searchParams.get('code') ?? ''
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier: VERIFIER,
    ...client,
  })
  const tokens = await ask(door, 'POST', '/token', { headers: FORM, body: body.toString() })
  return { consent: consent.text, tokens: tokens.json() }
}

async function register(): Promise<Query> {
  const redirect = 'http://127.0.0.1/callback'
  const registered = await ask(door, 'POST', '/register', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Skillgate console', redirect_uris: [redirect] }),
  })
  return { client_id: String(registered.json()['client_id']), redirect_uri: redirect }
}

async function findAccount(accessToken: unknown): Promise<boolean | undefined> {
  const hash = `t:${world.ports.digests.sha256(String(accessToken))}`
  return (await world.ports.logins.findKey(hash))?.account
}

describe('the scope account', () => {
  test('is given to the console, and the page says what it allows', async () => {
    const { consent, tokens } = await logIn(CONSOLE)
    expect(consent).toContain('make, change and revoke API keys')
    expect(tokens['scope']).toBe('tools:read tools:call account')
    expect(await findAccount(tokens['access_token'])).toBe(true)
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: String(tokens['refresh_token']),
      client_id: CONSOLE.client_id,
    })
    const next = await ask(door, 'POST', '/token', { headers: FORM, body: body.toString() })
    expect(await findAccount(next.json()['access_token'])).toBe(true)
  })

  test('is not given to another client, which calls itself the same and asks for it', async () => {
    const { consent, tokens } = await logIn(await register())
    expect(consent).not.toContain('API keys')
    expect(tokens['scope']).toBe('tools:read tools:call')
    expect(await findAccount(tokens['access_token'])).toBeUndefined()
  })

  test.each([
    'https://evil.example/v1/console/',
    'https://admin.example/v1/console',
    'https://admin.example.evil.example/v1/console/',
    'http://127.0.0.1/v1/console/',
  ])('takes nobody to %s', async (redirect) => {
    expect((await open({ redirect_uri: redirect })).status).toBe(400)
  })

  test('has no client where the gateway does not know its console', async () => {
    world = makeWorld(LOGIN_SETTINGS)
    door = doorOf(world)
    expect((await open()).status).not.toBe(200)
  })
})
