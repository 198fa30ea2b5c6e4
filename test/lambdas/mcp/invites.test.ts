/** Invitations at a deployed door: cookies with https, and a login at a function URL. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { signClientId } from '../../../core/login/client-id.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { readHidden } from '../../local/login-person.ts'
import { askAdmin } from '../admin/admin-client.ts'
import { ask, type MemoryResponse } from '../door-client.ts'
import { doorOf } from './agent.ts'

const OWN = 'https://mcp.example'
const FUNCTION_URL = 'https://abc123.lambda-url.eu-central-1.on.aws'
const CALLBACK = 'http://127.0.0.1/callback'

let world: World
let door: StreamingHandler

async function openAt(issuer: string): Promise<void> {
  const login = { issuer, redirectHosts: [], tokenLifeMs: 3_600_000 }
  world = makeWorld({ ...SETTINGS, login })
  door = doorOf(world)
  await world.user('ada')
}

/** The path of a new link. */
async function invite(): Promise<string> {
  const { json } = await askAdmin(world, 'POST', '/users/ada/invites')
  return new URL(String(json['link'])).pathname
}

async function authorize(cookie?: string): Promise<MemoryResponse> {
  const { digests, logins } = world.ports
  const client = { name: 'Test', redirectUris: [CALLBACK], nonce: 'n' }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: signClientId(digests, await logins.secret(), client),
    redirect_uri: CALLBACK,
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  }).toString()
  return ask(door, 'GET', '/authorize', { query, headers: cookie === undefined ? {} : { cookie } })
}

function send(page: MemoryResponse, fields: { readonly [name: string]: string }, more = '') {
  const cookie = `${toCookie(page)}${more}`
  return ask(door, 'POST', '/authorize', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    body: new URLSearchParams({ ...readHidden(page.text), ...fields }).toString(),
  })
}

function toCookie({ headers }: MemoryResponse): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

describe('with https', () => {
  beforeEach(() => openAt(OWN))

  test('the cookie of an invitation belongs to this host and comes along from other sites', async () => {
    const page = await ask(door, 'GET', await invite())
    expect(page.headers['set-cookie']).toMatch(
      /^__Host-sg_invite=sgi_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure$/,
    )
    const asked = await authorize(toCookie(page))
    expect(asked.text).toContain('You were invited as')
    expect(asked.headers['set-cookie']).toMatch(
      /^__Host-sg_login_[\w-]{8}=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
    )
    const consent = await send(asked, { use: 'invite' }, `; ${toCookie(page)}`)
    expect(consent.text).toContain('by invitation')
  })

  test('a cookie without the prefix, which another host could set, is no invitation', async () => {
    const page = await ask(door, 'GET', await invite())
    const asked = await authorize(toCookie(page).replace('__Host-', ''))
    expect(asked.status).toBe(200)
    expect(asked.text).not.toContain('You were invited as')
  })

  test('wrong cookies are counted with wrong keys', async () => {
    const cookie = `__Host-sg_invite=sgi_${'x'.repeat(43)}`
    for (let count = 1; count <= 10; count += 1) {
      expect((await authorize(cookie)).status).toBe(200)
    }
    expect((await authorize(cookie)).status).toBe(429)
    expect((await authorize()).status).toBe(200)
  })
})

describe('a login at a function URL', () => {
  beforeEach(() => openAt(FUNCTION_URL))

  test('asks for the link of an invitation, and for no key', async () => {
    const asked = await authorize()
    expect(asked.text).toContain('The link of your invitation')
    expect(asked.text).not.toContain('current-password')
  })

  test('refuses a key that is right, and tells nobody that it is', async () => {
    const asked = await authorize()
    const { json } = await askAdmin(world, 'POST', '/users/ada/keys')
    const key = String(json['key'])
    const right = await send(asked, { key })
    const wrong = await send(asked, { key: `sgk_${'x'.repeat(43)}` })
    expect(right.text).toContain('enter no API key here')
    expect(right.text).toBe(wrong.text)
  })

  test('takes an invitation', async () => {
    const link = `${FUNCTION_URL}${await invite()}`
    const consent = await send(await authorize(), { key: link })
    expect(consent.text).toContain('by invitation')
  })
})
