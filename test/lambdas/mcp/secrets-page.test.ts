/** A call that lacks a secret, in each era, and the page on which its user sets the secret. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { readHidden } from '../../local/login-person.ts'
import { ask, type MemoryResponse } from '../door-client.ts'
import { doorOf, legacy, modern, post, withKey } from './agent.ts'

const ORIGIN = 'https://mcp.example'
const LINK = /https:\/\/mcp\.example(\/secrets\/[\w-]+)/
const VALUE = 'value-of-ada-1234'
const SHOWS_LINKS = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
}
const CALL = { name: 'sg_weather', arguments: {} }
const CONFIG = { auth: { type: 'bearer', secret: 'API_KEY' } }

let world: World
let door: StreamingHandler
let ada: string

async function openWorld(change: object = {}): Promise<void> {
  world = makeWorld({ ...SETTINGS, publicOrigin: ORIGIN, ...change })
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_weather', { price: 2, config: CONFIG })
  // The function mcp makes the secret of links; this world shares one execute among its doors.
  await world.ports.logins.secret()
}

beforeEach(() => openWorld())

function textOf(out: MemoryResponse): string {
  return String(JSON.parse(out.text).result?.content?.[0]?.text)
}

/** The path of the page that a call without its secret leads to. */
async function linkOf(key = ada, call: JsonObject = CALL): Promise<string> {
  const out = await post(door, withKey(key, legacy('tools/call', call)))
  return LINK.exec(textOf(out))?.[1] ?? `no link: ${out.text}`
}

function send(
  page: MemoryResponse,
  path: string,
  fields: { readonly [name: string]: string },
  more: { readonly origin?: string; readonly cookie?: string } = {},
): Promise<MemoryResponse> {
  const { cookie = String(page.headers['set-cookie']).split(';')[0] ?? '', origin = ORIGIN } = more
  return ask(door, 'POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin, cookie },
    body: new URLSearchParams({ ...readHidden(page.text), ...fields }).toString(),
  })
}

const keyOf = (authorization: string) => authorization.replace('Bearer ', '')

/** Opens the page of a new link and sends its form. */
async function setOnPage(fields: { readonly [name: string]: string } = {}) {
  const path = await linkOf()
  const page = await ask(door, 'GET', path)
  return send(page, path, { key: keyOf(ada), value_0: VALUE, ...fields })
}

async function sentSecret(): Promise<string | undefined> {
  world.upstream.next({ kind: 'answer', body: '{}' })
  await post(door, withKey(ada, legacy('tools/call', CALL)))
  return world.upstream.requests.at(-1)?.headers['authorization']
}

describe('a call without its secret', () => {
  // Holds: RPC-11
  test('of 2026-07-28 asks with a link, costs nothing, and goes on when the secret is set', async () => {
    const first = await post(door, withKey(ada, modern('tools/call', CALL, { meta: SHOWS_LINKS })))
    const { inputRequests, resultType } = JSON.parse(first.text).result
    const { method, params } = inputRequests.skillgate_secrets
    expect([resultType, method, params.mode]).toEqual([
      'input_required',
      'elicitation/create',
      'url',
    ])
    expect(params.message).toContain('API_KEY for api.example')
    expect(params.elicitationId).toMatch(/^[\w-]{22}$/)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    const path = LINK.exec(params.url)?.[1] ?? ''
    const page = await ask(door, 'GET', path)
    const saved = await send(page, path, { key: keyOf(ada), value_0: VALUE })
    expect([saved.status, saved.text.includes('Saved')]).toEqual([200, true])
    world.upstream.next({ kind: 'answer', body: '{"got":true}' })
    const inputResponses = { skillgate_secrets: { action: 'accept' } }
    const again = modern('tools/call', { ...CALL, inputResponses }, { meta: SHOWS_LINKS })
    const second = await post(door, withKey(ada, again))
    expect(JSON.parse(second.text).result).toMatchObject({ resultType: 'complete', isError: false })
    expect(world.upstream.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${VALUE}`)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test.each(['decline', 'cancel'])(
    'of 2026-07-28 is told in words if the person answered %s',
    async (action) => {
      const inputResponses = { skillgate_secrets: { action } }
      const sent = modern('tools/call', { ...CALL, inputResponses }, { meta: SHOWS_LINKS })
      const { result } = JSON.parse((await post(door, withKey(ada, sent))).text)
      expect([result.resultType, result.isError]).toEqual(['complete', true])
    },
  )

  test.each([{}, { elicitation: {} }, { elicitation: { form: {} } }])(
    'of 2026-07-28 has the link in its text for a client that declares %j',
    async (capabilities) => {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
      const out = await post(door, withKey(ada, modern('tools/call', CALL, { meta })))
      expect(JSON.parse(out.text).result.resultType).toBe('complete')
      expect(textOf(out)).toMatch(LINK)
    },
  )

  test('of 2025-11-25 gets -32042 if the client said that it shows links', async () => {
    const capabilities = { elicitation: { url: {} } }
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: {} }
    await post(door, withKey(ada, legacy('initialize', params)))
    const call = legacy('tools/call', CALL, { version: '2025-11-25' })
    const { error } = JSON.parse((await post(door, withKey(ada, call))).text)
    expect(error).toMatchObject({
      code: -32042,
      data: {
        elicitations: [
          {
            mode: 'url',
            elicitationId: expect.stringMatching(/^[\w-]{22}$/),
            url: expect.stringMatching(LINK),
          },
        ],
      },
    })
    expect(error.message).toMatch(LINK)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test.each(['2025-11-25', '2025-06-18', undefined])(
    'of %s has the link in its text without that capability',
    async (version) => {
      const more = version === undefined ? {} : { version }
      const out = await post(door, withKey(ada, legacy('tools/call', CALL, more)))
      expect(textOf(out)).toMatch(LINK)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    },
  )

  test('does not hand the answer to its own question to the upstream', async () => {
    const config = { ...CONFIG, method: 'POST', body: { got: '{{input.responses}}' } }
    await world.skill('sg_weather', { price: 2, config })
    await setOnPage()
    world.upstream.next({ kind: 'answer', body: '{}' })
    const inputResponses = { skillgate_secrets: { action: 'accept' } }
    const sent = modern('tools/call', { ...CALL, inputResponses }, { meta: SHOWS_LINKS })
    await post(door, withKey(ada, sent))
    expect(String(world.upstream.requests.at(-1)?.body)).not.toContain('skillgate_secrets')
  })

  test.each([
    ['the setting is off', { askForSecrets: false }],
    ['the gateway knows no public origin', { publicOrigin: undefined }],
    ['the origin is a function URL', { publicOrigin: 'https://abc.lambda-url.eu-west-1.on.aws' }],
  ])('has no link where %s, and there is no page', async (_what, change) => {
    await openWorld(change)
    const out = await post(door, withKey(ada, modern('tools/call', CALL, { meta: SHOWS_LINKS })))
    expect(textOf(out)).toContain('Ask the administrator of this gateway to set it.')
    expect((await ask(door, 'GET', '/secrets/abc')).status).toBe(404)
  })
})

describe('the page', () => {
  test('shows the tool, the host and the user, under the policy of the login', async () => {
    const page = await ask(door, 'GET', await linkOf())
    expect(page.status).toBe(200)
    for (const part of ['sg_weather', 'api.example', '<b>ada</b>', 'API_KEY', 'mcp.example'])
      expect(page.text).toContain(part)
    expect(page.text).not.toContain('<script')
    expect(page.text).toContain('width=device-width')
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
      'set-cookie': expect.stringMatching(/^__Host-sg_login_.*SameSite=Strict.*; Secure$/),
    })
  })

  test('stores a secret for the hosts that it showed, and repeats it nowhere', async () => {
    const saved = await setOnPage()
    expect(saved.text).not.toContain(VALUE)
    expect(JSON.stringify(world.log.notes)).not.toContain(VALUE)
    expect(await world.ports.secrets.list('ada')).toEqual([
      {
        name: 'API_KEY',
        skillId: 'sg_weather',
        binding: '{"tier":"official","origins":["https://api.example"]}',
        updatedAtMs: expect.any(Number),
      },
    ])
    expect(await sentSecret()).toBe(`Bearer ${VALUE}`)
  })

  test("refuses another user's key, so that a link sent to a victim stores nothing", async () => {
    const bob = await world.user('bob')
    const refused = await setOnPage({ key: keyOf(bob) })
    expect(refused.text).toContain('belongs to another user')
    expect(refused.text).not.toContain(VALUE)
    expect(await world.ports.secrets.list('ada')).toEqual([])
    expect(await world.ports.secrets.list('bob')).toEqual([])
  })

  test('counts wrong keys as the login does: the eleventh is not judged', async () => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    for (let count = 0; count < 10; count += 1) {
      const wrong = `sgk_${String(count).padStart(43, 'x')}`
      expect((await send(page, path, { key: wrong, value_0: VALUE })).status).toBe(200)
    }
    const limited = await send(page, path, { key: keyOf(ada), value_0: VALUE })
    expect(limited.status).toBe(429)
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test('stores nothing by a link that was used', async () => {
    const path = await linkOf()
    const first = await ask(door, 'GET', path)
    const second = await ask(door, 'GET', path)
    expect((await send(first, path, { key: keyOf(ada), value_0: VALUE })).status).toBe(200)
    const late = await send(second, path, { key: keyOf(ada), value_0: 'another-value' })
    expect([late.status, late.text.includes('used already')]).toEqual([404, true])
    expect(await sentSecret()).toBe(`Bearer ${VALUE}`)
  })

  test('takes the same form twice, as a browser sends it after a lost answer', async () => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    const fields = { key: keyOf(ada), value_0: VALUE }
    expect((await send(page, path, fields)).status).toBe(200)
    expect((await send(page, path, fields)).status).toBe(200)
  })

  test('works for 10 minutes less a millisecond, and no longer', async () => {
    const path = await linkOf()
    await world.clock.advance(599_999)
    expect((await ask(door, 'GET', path)).status).toBe(200)
    await world.clock.advance(1)
    expect((await ask(door, 'GET', path)).status).toBe(404)
  })

  test.each([
    ['changed', (path: string) => `${path.slice(0, -2)}xx`],
    ['empty', () => '/secrets/'],
    ['not base64', () => '/secrets/%2e%2e'],
    ['too long', () => `/secrets/${'a'.repeat(2_049)}`],
  ])('refuses a link that is %s', async (_what, change) => {
    expect((await ask(door, 'GET', change(await linkOf()))).status).toBe(404)
  })

  test('stores nothing if the tool has moved to another host since', async () => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    await world.skill('sg_weather', { config: { ...CONFIG, endpoint: 'https://evil.example/x' } })
    const late = await send(page, path, { key: keyOf(ada), value_0: VALUE })
    expect([late.status, late.text.includes('was changed or removed')]).toEqual([404, true])
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['a browser without the cookie', { cookie: '' }],
    ['a browser with a cookie of another form', { cookie: '__Host-sg_login_abcdefgh=x' }],
  ])('refuses a form of %s', async (_what, more) => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    const refused = await send(page, path, { key: keyOf(ada), value_0: VALUE }, more)
    expect(refused.status).toBe(403)
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test('refuses the form of one link at the path of another', async () => {
    const [path, other] = [await linkOf(), await linkOf()]
    const page = await ask(door, 'GET', path)
    expect((await send(page, other, { key: keyOf(ada), value_0: VALUE })).status).toBe(403)
  })

  test('asks again for a value that is too short, and names the secret', async () => {
    const refused = await setOnPage({ value_0: 'abc' })
    expect(refused.text).toContain('API_KEY: must be a string of 4 characters or more')
  })

  test('takes a form of 106,496 bytes, and none with one more', async () => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    const fields = { key: keyOf(ada), value_0: VALUE, rest: '' }
    const base = new URLSearchParams({ ...readHidden(page.text), ...fields }).toString().length
    const fill = (bytes: number) => ({ ...fields, rest: 'x'.repeat(bytes - base) })
    const long = await send(page, path, fill(106_497))
    expect([long.status, long.text.includes('Nothing was stored')]).toEqual([400, true])
    expect((await send(page, path, fill(106_496))).status).toBe(200)
  })

  test('asks for eight secrets at most; the next call asks for the others', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `KEY_${index}`)
    const headers = Object.fromEntries(names.map((name, at) => [`x-${at}`, `{{secrets.${name}}}`]))
    await world.skill('sg_weather', { config: { headers } })
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    expect(page.text.match(/name="value_/g)).toHaveLength(8)
    const values = Object.fromEntries(names.map((_, at) => [`value_${at}`, `value-${at}`]))
    expect((await send(page, path, { key: keyOf(ada), ...values })).status).toBe(200)
    const rest = await ask(door, 'GET', await linkOf())
    expect(rest.text).toContain('KEY_8')
    expect(rest.text.match(/name="value_/g)).toHaveLength(1)
  })

  test('frees its link if the key service fails, so that the form may be sent again', async () => {
    const path = await linkOf()
    const page = await ask(door, 'GET', path)
    const { secretSeals } = world.ports
    const cause = new Error('down')
    world.ports.secretSeals = {
      ...secretSeals,
      seal: async () => ({ ok: false, error: { why: 'unavailable', cause } }),
    }
    const failing = doorOf(world)
    const healthy = door
    door = failing
    expect((await send(page, path, { key: keyOf(ada), value_0: VALUE })).status).toBe(400)
    door = healthy
    expect((await send(page, path, { key: keyOf(ada), value_0: VALUE })).status).toBe(200)
  })
})
