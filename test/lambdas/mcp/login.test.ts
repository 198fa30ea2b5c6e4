/** The login of a deployed door: challenges, and client metadata documents over the outbound port. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorOf, legacy, post } from './agent.ts'

const LOGIN = {
  issuer: 'https://mcp.example',
  redirectHosts: ['app.example'],
}
const CLIENT = 'https://client.example/mcp.json'
const CHALLENGE =
  'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="tools"'

let world: World
let door: StreamingHandler

beforeEach(() => {
  world = makeWorld({ ...SETTINGS, login: LOGIN })
  door = doorOf(world)
})

describe('a caller without a credential', () => {
  test.each(['tools/list', 'initialize', 'tools/call'])(
    'gets 401 with the challenge for %s',
    async (method) => {
      const out = await post(door, legacy(method, { name: 'sg_x', arguments: {} }))
      expect([out.status, out.headers['www-authenticate']]).toEqual([401, CHALLENGE])
      // Function URLs rename the header, so the body has it too.
      expect(out.json()['wwwAuthenticate']).toBe(CHALLENGE)
    },
  )

  test('lists tools if the operator allows it, and gets the challenge for a call', async () => {
    const open = doorOf(makeWorld({ ...SETTINGS, login: LOGIN, anonymousList: true }))
    expect((await post(open, legacy('tools/list'))).status).toBe(200)
    const call = await post(open, legacy('tools/call', { name: 'sg_x', arguments: {} }))
    expect([call.status, call.headers['www-authenticate']]).toEqual([401, CHALLENGE])
    expect((await ask(open, 'GET', '/mcp')).status).toBe(405)
  })

  test('may send a preflight', async () => {
    const out = await ask(door, 'OPTIONS', '/mcp', { headers: { origin: 'https://gw.example' } })
    expect(out.status).toBe(204)
  })
})

describe('a wrong credential', () => {
  test.each([`sgk_${'a'.repeat(43)}`, `sgt_${'a'.repeat(43)}`, 'eyJ.a.b'])(
    'such as %s gets 401 with the challenge and invalid_token',
    async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      const out = await post(door, legacy('tools/list', {}, { headers }))
      expect([out.status, out.headers['www-authenticate']]).toEqual([
        401,
        `${CHALLENGE}, error="invalid_token"`,
      ])
    },
  )

  test('with the form of an access token counts as no guess, however many there are', async () => {
    for (let count = 0; count < 25; count += 1) {
      const headers = { authorization: `Bearer sgt_${String(count).padStart(43, 'c')}` }
      expect((await post(door, legacy('tools/list', {}, { headers }))).status).toBe(401)
    }
  })
})

describe('a client metadata document', () => {
  const document = (change: object = {}) => ({
    client_id: CLIENT,
    client_name: 'Documented',
    redirect_uris: ['https://app.example/cb', 'https://evil.example/cb'],
    ...change,
  })
  const open = (change: { readonly [name: string]: string } = {}) =>
    ask(door, 'GET', '/authorize', {
      query: new URLSearchParams({
        response_type: 'code',
        client_id: CLIENT,
        redirect_uri: 'https://app.example/cb',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        ...change,
      }).toString(),
    })
  const answerWith = (body: unknown, status = 200) => {
    world.upstream.always({ kind: 'answer', status, body: JSON.stringify(body) })
  }

  test('names its client and its host on the page, and is read once in ten minutes', async () => {
    answerWith(document())
    const first = await open()
    expect(first.status).toBe(200)
    expect(first.text).toContain('<b>Documented</b>')
    expect(first.text).toContain('<b>client.example</b>')
    expect(first.headers['set-cookie']).toMatch(/^__Host-sg_login_.*; Secure$/)
    await open()
    expect(world.upstream.requests).toHaveLength(1)
    await world.clock.advance(600_000)
    await open()
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('gives no redirect URI that the operator does not list', async () => {
    answerWith(document())
    expect((await open({ redirect_uri: 'https://evil.example/cb' })).status).toBe(400)
  })

  test.each<[string, unknown, number]>([
    ['of another client', document({ client_id: `${CLIENT}x` }), 200],
    ['that is no object', [], 200],
    [
      'without an allowed redirect URI',
      document({ redirect_uris: ['https://evil.example/'] }),
      200,
    ],
    ['with another status', document(), 404],
  ])('%s leads to a page that tells nothing of the answer', async (_what, body, status) => {
    answerWith(body, status)
    const out = await open()
    expect(out.status).toBe(401)
    expect(out.text).toContain('at client.example, could not be used')
    expect(out.headers['location']).toBeUndefined()
  })

  test.each(['hang', 'too_large', 'unreachable'] as const)(
    'whose host answers by %s leads to a page within 3 s',
    async (kind) => {
      world.upstream.always({ kind })
      const opened = open()
      await world.clock.advance(3_000)
      expect((await opened).status).toBe(401)
    },
  )

  test('that cannot be read is tried again after a minute', async () => {
    answerWith({}, 500)
    await open()
    await open()
    expect(world.upstream.requests).toHaveLength(1)
    await world.clock.advance(60_000)
    answerWith(document())
    expect((await open()).status).toBe(200)
  })
})
