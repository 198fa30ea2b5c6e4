/** Logins of users at upstreams, against a real authorization server and a protected API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeOAuthClient } from '../../../adapters/oauth-client/oauth-client.ts'
import { httpUpstream } from '../../../adapters/upstream/http-upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { readHidden } from '../../local/login-person.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../oauth/authorization-server.ts'
import { ask, type MemoryResponse } from '../door-client.ts'
import { doorOf, legacy, post, withKey } from './agent.ts'
import { type ProtectedApi, startProtectedApi } from './protected-api.ts'

const ORIGIN = 'https://mcp.example'
const LINK = /https:\/\/mcp\.example(\/secrets\/[\w-]+)/
const CALL = { name: 'sg_files', arguments: {} }
const ALLOW = ['127.0.0.1']
const HOUR_MS = 3_600_000

let server: AuthorizationServer
let api: ProtectedApi
let world: World
let door: StreamingHandler
let ada: string

beforeAll(async () => {
  server = await startAuthorizationServer()
  api = await startProtectedApi(server.issuer)
})

afterAll(async () => {
  await api.stop()
  await server.stop()
})

function metadataOf(issuer: string) {
  const scopes = { scopes_supported: ['tools:read', 'tools:call'] }
  return { resource: api.origin, authorization_servers: [issuer], ...scopes }
}

function openDoor(): StreamingHandler {
  const upstream = httpUpstream({ outboundAllow: ALLOW })
  const { clock } = world
  world.ports.upstream = upstream
  world.ports.oauthClient = makeOAuthClient({ clock, outboundAllow: ALLOW, upstream })
  return doorOf(world)
}

async function storeSkill(auth: JsonObject = {}): Promise<void> {
  const config = {
    endpoint: `${api.origin}/files`,
    auth: { type: 'oauth2', grant: 'authorization_code', secret: 'FILES_LOGIN', ...auth },
  }
  await world.skill('sg_files', { price: 2, config })
}

beforeEach(async () => {
  api.tokens.length = 0
  api.revoked.clear()
  api.metadata = metadataOf(server.issuer)
  world = makeWorld({ ...SETTINGS, publicOrigin: ORIGIN, outboundAllow: ALLOW })
  door = openDoor()
  ada = await world.user('ada')
  await world.ports.logins.secret()
  await storeSkill()
})

const keyOf = (authorization: string) => authorization.replace('Bearer ', '')

async function call(through = door): Promise<{ readonly text: string; readonly isError: boolean }> {
  const out = await post(through, withKey(ada, legacy('tools/call', CALL)))
  const { result } = JSON.parse(out.text)
  return { text: String(result.content[0].text), isError: result.isError }
}

const cookiesOf = ({ headers }: MemoryResponse) => String(headers['set-cookie']).split(';')[0] ?? ''

/** The answer to the form of the page that a call without its login leads to. */
async function begin(fields: { readonly [name: string]: string } = {}): Promise<MemoryResponse> {
  const path = LINK.exec((await call()).text)?.[1] ?? ''
  const page = await ask(door, 'GET', path)
  return ask(door, 'POST', path, {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ORIGIN,
      cookie: cookiesOf(page),
    },
    body: new URLSearchParams({ ...readHidden(page.text), key: keyOf(ada), ...fields }).toString(),
  })
}

function callBack(url: URL, cookie: string, through = door): Promise<MemoryResponse> {
  return ask(through, 'GET', url.pathname, {
    query: url.search.slice(1),
    headers: cookie === '' ? {} : { cookie },
  })
}

/** Begins, allows at the authorization server, and comes back. */
async function logIn(): Promise<MemoryResponse> {
  const begun = await begin()
  const back = await server.logIn(new URL(String(begun.headers['location'])))
  return callBack(back, cookiesOf(begun))
}

describe('a login at an upstream', () => {
  test('begins on the page and ends at the callback; then the call goes on', async () => {
    const asked = await call()
    expect(asked.isError).toBe(true)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    const begun = await begin()
    expect(begun.status).toBe(303)
    const asks = new URL(String(begun.headers['location']))
    expect(asks.origin).toBe(server.issuer)
    expect(Object.fromEntries(asks.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: 'https://mcp.example/oauth/callback',
      resource: api.origin,
      code_challenge_method: 'S256',
    })
    expect(begun.headers['set-cookie']).toMatch(
      /^__Host-sg_upstream_[\w-]{8}=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
    )
    const done = await callBack(await server.logIn(asks), cookiesOf(begun))
    expect([done.status, done.text.includes('Logged in')]).toEqual([200, true])
    expect((await call()).isError).toBe(false)
    expect(api.tokens).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('shows where the tokens go, and whose they become, before it asks for a key', async () => {
    const page = await ask(door, 'GET', LINK.exec((await call()).text)?.[1] ?? '')
    expect(page.text).toContain(`<p class="host">${api.origin}</p>`)
    expect(page.text).toContain('<b>ada</b>')
    expect(page.text).not.toContain('value_0')
  })

  test('keeps its tokens sealed, bound to the host, and in no log', async () => {
    await logIn()
    await call()
    const [stored, ...others] = await world.ports.secrets.list('ada')
    expect(others).toEqual([])
    expect([stored?.name, stored?.skillId]).toEqual(['FILES_LOGIN', undefined])
    expect(JSON.parse(String(stored?.binding))).toEqual({
      origins: [api.origin],
      login: api.origin,
    })
    expect(JSON.stringify(world.log.notes)).not.toContain(String(api.tokens[0]))
  })

  test('serves all tools with the same login', async () => {
    await logIn()
    await world.skill('sg_more', {
      config: {
        endpoint: `${api.origin}/more`,
        auth: { type: 'oauth2', grant: 'authorization_code', secret: 'FILES_LOGIN' },
      },
    })
    const sent = legacy('tools/call', { name: 'sg_more', arguments: {} })
    const out = await post(door, withKey(ada, sent))
    expect(JSON.parse(out.text).result.isError).toBe(false)
  })

  test('gives its tokens to no template, which would send the refresh token along', async () => {
    await logIn()
    await world.skill('sg_thief', {
      config: { endpoint: `${api.origin}/x`, headers: { 'x-all': '{{secrets.FILES_LOGIN}}' } },
    })
    const sent = legacy('tools/call', { name: 'sg_thief', arguments: {} })
    const out = await post(door, withKey(ada, sent))
    expect(JSON.parse(out.text).result.content[0].text).toContain('is a login of the user')
    expect(api.tokens).toEqual([])
  })

  test("stores nothing with another user's key", async () => {
    const bob = await world.user('bob')
    const refused = await begin({ key: keyOf(bob) })
    expect([refused.status, refused.headers['location']]).toEqual([200, undefined])
    expect(refused.text).toContain('belongs to another user')
  })

  test.each<[string, (url: URL) => URL, (cookie: string) => string]>([
    ['in a browser that did not begin it', (url) => url, () => ''],
    ['with a forged state', (url) => changed(url, 'state', 'x'.repeat(43)), (cookie) => cookie],
    ['with a changed cookie', (url) => url, (cookie) => `${cookie.slice(0, -2)}xx`],
    [
      'with an answer of another issuer',
      (url) => changed(url, 'iss', 'https://evil.example'),
      (cookie) => cookie,
    ],
    ['with a wrong code', (url) => changed(url, 'code', 'wrong'), (cookie) => cookie],
  ])('does not end %s', async (_what, change, changeCookie) => {
    const begun = await begin()
    const back = await server.logIn(new URL(String(begun.headers['location'])))
    const refused = await callBack(change(back), changeCookie(cookiesOf(begun)))
    expect(refused.status).toBe(400)
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test('does not end with the state of another login of the same person', async () => {
    const [one, other] = [await begin(), await begin()]
    const back = await server.logIn(new URL(String(one.headers['location'])))
    expect((await callBack(back, cookiesOf(other))).status).toBe(400)
  })

  test('registers the gateway once for all its processes, and again a week later', async () => {
    const clientId = async () => {
      const { headers } = await begin()
      return new URL(String(headers['location'])).searchParams.get('client_id')
    }
    const first = await clientId()
    door = openDoor()

    expect(first).not.toBeNull()
    expect(await clientId()).toBe(first)
    await world.clock.advance(7 * 24 * HOUR_MS - 1_000)
    expect(await clientId()).toBe(first)
    await world.clock.advance(1_000)
    expect(await clientId()).not.toBe(first)
  })

  test('ends once', async () => {
    const begun = await begin()
    const back = await server.logIn(new URL(String(begun.headers['location'])))
    expect((await callBack(back, cookiesOf(begun))).status).toBe(200)
    expect((await callBack(back, cookiesOf(begun))).status).toBe(400)
  })

  test('ends within 10 minutes', async () => {
    const begun = await begin()
    const back = await server.logIn(new URL(String(begun.headers['location'])))
    await world.clock.advance(600_000)
    expect((await callBack(back, cookiesOf(begun))).status).toBe(400)
  })

  test('does not begin if the resource names another resource', async () => {
    api.metadata = { ...metadataOf(server.issuer), resource: 'https://evil.example' }
    expect((await begin()).status).toBe(400)
  })

  test.each([
    ['at a private address', 'https://10.0.0.1'],
    ['over http', 'http://issuer.example'],
  ])('does not begin at a server %s', async (_what, issuer) => {
    api.metadata = metadataOf(issuer)
    const refused = await begin()
    expect([refused.status, refused.headers['location']]).toEqual([400, undefined])
  })
})

describe('an access token that is over', () => {
  test('is renewed by the refresh token, once for all calls of all processes', async () => {
    await logIn()
    await call()
    await world.clock.advance(HOUR_MS)
    const { clock, oauthClient, secrets } = world.ports
    const bothWait = Promise.withResolvers<void>()
    const kept = Promise.withResolvers<void>()
    let waits = 0
    let refreshes = 0
    world.ports.clock = {
      ...clock,
      sleep: (ms, signal) => {
        if (ms === 200) waits += 1
        if (waits === 2) bothWait.resolve()
        return clock.sleep(ms, signal)
      },
    }
    const refresh: typeof oauthClient.refresh = async (...sent) => {
      refreshes += 1
      await bothWait.promise
      return oauthClient.refresh(...sent)
    }
    world.ports.oauthClient = { ...oauthClient, refresh }
    world.ports.secrets = {
      ...secrets,
      put: async (...put) => {
        const outcome = await secrets.put(...put)
        kept.resolve()
        return outcome
      },
    }
    const calls = Promise.all([doorOf(world), doorOf(world), doorOf(world)].map((one) => call(one)))
    await kept.promise
    await world.clock.advance(200)
    expect((await calls).map(({ isError }) => isError)).toEqual([false, false, false])
    expect(refreshes).toBe(1)
    const [first, ...later] = api.tokens
    expect(new Set(later).size).toBe(1)
    expect(later).not.toContain(first)
  })

  test('is renewed if the upstream refuses it before its time', async () => {
    await logIn()
    await call()
    api.revoked.add(String(api.tokens[0]))
    expect((await call()).isError).toBe(false)
    expect(api.tokens).toHaveLength(3)
    expect(api.tokens[2]).not.toBe(api.tokens[0])
  })

  test('leads to a new login if the server refuses the refresh token', async () => {
    await logIn()
    await call()
    world.ports.oauthClient = {
      ...world.ports.oauthClient,
      refresh: async () => ({ ok: false, error: { kind: 'refused', detail: 'answered 400' } }),
    }
    const refusing = doorOf(world)
    await world.clock.advance(HOUR_MS)
    const asked = await call(refusing)
    expect(asked.text).toMatch(LINK)
    // The refresh token is not sent again.
    expect((await call(door)).text).toMatch(LINK)
    await logIn()
    expect((await call()).isError).toBe(false)
  })

  test('leads to no second login in a process that still remembers the ended one', async () => {
    await logIn()
    const { oauthClient, secrets } = world.ports
    const refused = { ok: false, error: { kind: 'refused', detail: 'answered 400' } } as const
    world.ports.oauthClient = { ...oauthClient, refresh: async () => refused }
    await world.clock.advance(HOUR_MS)
    await call(doorOf(world))
    const of = { uid: 'ada', skillId: 'sg_files', names: ['FILES_LOGIN'], withShared: true }
    const ended = await secrets.find(of)
    await logIn()
    const find: typeof secrets.find = async (asked) =>
      asked.isFresh === true ? secrets.find(asked) : ended
    world.ports.secrets = { ...secrets, find }
    expect((await call(doorOf(world))).isError).toBe(false)
  })

  test('is not burnt by a server that does not answer', async () => {
    await logIn()
    await call()
    const { oauthClient } = world.ports
    world.ports.oauthClient = {
      ...oauthClient,
      refresh: async () => ({ ok: false, error: { kind: 'unreachable', detail: 'is away' } }),
    }
    const silent = doorOf(world)
    await world.clock.advance(HOUR_MS)
    expect((await call(silent)).text).toContain('could not be renewed')
    world.ports.oauthClient = oauthClient
    expect((await call(doorOf(world))).isError).toBe(false)
  })
})

test('the gateway describes itself as a client', async () => {
  const out = await ask(door, 'GET', '/.well-known/oauth-client.json')
  expect(out.json()).toEqual({
    client_id: 'https://mcp.example/.well-known/oauth-client.json',
    client_name: 'Skillgate',
    client_uri: 'https://mcp.example',
    redirect_uris: ['https://mcp.example/oauth/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
})

function changed(url: URL, name: string, value: string): URL {
  const next = new URL(url)
  next.searchParams.set(name, value)
  return next
}
