/** Tokens of issuers at every door: who is admitted, and what a refused client is told. */
import { beforeEach, describe, expect, test } from 'vitest'
import { V0_UNKNOWN_PER_MINUTE } from '../../../core/access/limits.ts'
import { Fault } from '../../../core/errors.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createSseDoor } from '../../../lambdas/sse/door.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse } from '../door-client.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from '../mcp/agent.ts'
import {
  acceptTokens,
  ISSUER_SETTINGS,
  type IssuedTokens,
  linkFirstIdentity,
  linkIdentity,
  openTokenStream,
} from './issued-tokens.ts'

const CALL = { name: 'sg_sunny', arguments: {} }

let world: World
let tokens: IssuedTokens

beforeEach(async () => {
  world = makeWorld(ISSUER_SETTINGS)
  tokens = acceptTokens(world)
  await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
})

type Send = (authorization: string | undefined) => Promise<MemoryResponse>

const withHeader = (authorization: string | undefined) =>
  authorization === undefined ? {} : { headers: { authorization } }
const EXECUTE: Send = (authorization) =>
  ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
    ...withHeader(authorization),
    body: { skill: 'sg_sunny' },
  })
const STREAM: Send = (authorization) =>
  ask(createSseDoor(world.ports, world.settings), 'GET', '/v1/mcp/sse', withHeader(authorization))
const LIST: Send = (authorization) =>
  post(doorOf(world), withKey(authorization, legacy('tools/list')))
const MODERN_LIST: Send = (authorization) =>
  post(doorOf(world), withKey(authorization, modern('tools/list')))
const GET: Send = (authorization) => ask(doorOf(world), 'GET', '/mcp', withHeader(authorization))

const challengeAt = (path: string) =>
  `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource${path}", scope="tools:read tools:call"`

test.each<[string, Send]>([
  ['POST /v1/execute', EXECUTE],
  ['GET /v1/mcp/sse', STREAM],
])(
  'a token of a linked identity is refused by %s until /mcp has served a login, and makes no secret',
  async (_door, send) => {
    await linkFirstIdentity(world, 'ada', 'ada-at-as')
    for (const repeated of ['first', 'again']) {
      const out = await send(tokens.issue('ada-at-as'))
      expect([repeated, out.status, out.json()['code']]).toEqual([repeated, 403, 'forbidden'])
      expect(String(out.json()['detail'])).toContain('Connect to /mcp once')
    }
    expect(await world.ports.logins.readSecret()).toBeUndefined()
    expect((await LIST(tokens.issue('ada-at-as'))).status).toBe(200)
    expect(await world.ports.logins.readSecret()).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await EXECUTE(tokens.issue('ada-at-as'))).status).toBe(200)
  },
)

describe('a token of a linked identity', () => {
  beforeEach(() => linkIdentity(world, 'ada', 'ada-at-as'))

  test.each([
    ['in its own process', doorOf],
    ['by the function execute', doorByEvent],
  ])('calls at /mcp %s, and its user is charged', async (_where, openDoor) => {
    const sent = withKey(tokens.issue('ada-at-as'), legacy('tools/call', CALL))
    const out = await post(openDoor(world), sent)
    await world.clock.settle()
    expect(out.json()).toMatchObject({ result: { isError: false } })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('lists tools in both eras', async () => {
    for (const send of [LIST, MODERN_LIST]) {
      const out = await send(tokens.issue('ada-at-as'))
      expect([out.status, out.text.includes('sg_sunny')]).toEqual([200, true])
    }
  })

  test('calls at /v1/execute', async () => {
    const out = await EXECUTE(tokens.issue('ada-at-as'))
    await world.clock.settle()
    expect([out.status, await world.credits('ada')]).toEqual([200, { free: 98, held: 0 }])
  })

  test('opens a stream of HTTP+SSE, which calls', async () => {
    const stream = await openTokenStream(world, tokens.issue('ada-at-as'))
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL })
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: false } }])
    stream.close()
    await world.clock.settle()
  })

  test('opens a stream at the door, and gets its endpoint', async () => {
    const out = new MemoryResponse()
    const headers = { authorization: tokens.issue('ada-at-as') }
    const door = createSseDoor(world.ports, world.settings)
    const done = door(eventOf('GET', '/v1/mcp/sse', { headers }), out, contextOf())
    await world.clock.settle()
    expect([out.status, out.text]).toEqual([200, expect.stringContaining('event: endpoint')])
    out.destroy()
    await world.clock.settle()
    await done
  })

  test('reaches neither an upstream, nor a log line, nor the store of the session', async () => {
    const bearer = tokens.issue('ada-at-as')
    const secret = bearer.slice('Bearer '.length)
    await post(doorByEvent(world), withKey(bearer, legacy('tools/call', CALL)))
    await EXECUTE(bearer)
    const stream = await openTokenStream(world, bearer)
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL })
    await world.clock.advance(1_000)
    tokens.end(bearer)
    for (const send of [EXECUTE, STREAM, LIST]) expect((await send(bearer)).status).toBe(401)
    const seen = [
      world.upstream.requests,
      world.log.notes,
      world.log.calls,
      world.handed,
      stream.opened,
    ]
    expect(world.upstream.requests).toHaveLength(3)
    expect(JSON.stringify(seen)).not.toContain(secret)
    expect(JSON.stringify(seen)).not.toContain('ada-at-as')
    stream.close()
    await world.clock.settle()
  })

  test('is admitted no more once the identity is unlinked', async () => {
    const keyHash = (await world.ports.keys.list('ada')).find((one) => one.keyHash.startsWith('i:'))
    await world.ports.keys.revoke({ uid: 'ada', keyHash: String(keyHash?.keyHash) })
    await world.clock.advance(31_000)
    expect((await LIST(tokens.issue('ada-at-as'))).status).toBe(403)
    expect((await EXECUTE(tokens.issue('ada-at-as'))).status).toBe(403)
  })
})

describe.each<[string, string, Send]>([
  ['POST /mcp', '/mcp', LIST],
  ['POST /mcp of 2026-07-28', '/mcp', MODERN_LIST],
  ['GET /v1/mcp/sse', '/v1/mcp/sse', STREAM],
  ['POST /v1/execute', '/v1/execute', EXECUTE],
])('%s', (_door, path, send) => {
  test.each(['eyJ.a.b', `sgk_${'a'.repeat(43)}`, `sgt_${'a'.repeat(43)}`, 'opaque-token'])(
    'refuses the token %s with 401 and the challenge',
    async (token) => {
      const out = await send(`Bearer ${token}`)
      const challenge = `${challengeAt(path)}, error="invalid_token"`
      expect([out.status, out.headers['www-authenticate']]).toEqual([401, challenge])
      expect(out.json()['wwwAuthenticate']).toBe(challenge)
    },
  )

  test('refuses an identity that is not linked with 403 and its id', async () => {
    const out = await send(tokens.issue('nobody'))
    expect([out.status, out.json()['code']]).toEqual([403, 'forbidden'])
    expect(String(out.json()['detail'])).toMatch(/identity i:[A-Za-z0-9_-]{43} /)
  })

  test('refuses a token without any scope of the gateway, and names them all', async () => {
    await linkIdentity(world, 'ada', 'ada-at-as')
    const out = await send(tokens.issue('ada-at-as', ['openid', 'profile', 'tools']))
    const challenge = `${challengeAt(path)}, error="insufficient_scope"`
    expect([out.status, out.headers['www-authenticate']]).toEqual([403, challenge])
    expect(out.json()).toMatchObject({ code: 'insufficient_scope', wwwAuthenticate: challenge })
  })

  test('answers 503 while the issuer cannot be asked', async () => {
    world.ports.tokenVerifier = {
      asksIssuer: () => false,
      verify: () => Promise.reject(new Fault('issuer_unavailable', 'the keys cannot be read')),
    }
    const out = await send('Bearer eyJ.a.b')
    expect([out.status, out.json()['code']]).toEqual([503, 'issuer_unavailable'])
    expect(out.headers['retry-after']).toBe('5')
  })

  test('answers within the wait for the store, counted from the answer of the issuer', async () => {
    const known = world.ports.tokenVerifier
    world.ports.tokenVerifier = {
      asksIssuer: () => false,
      verify: (token, use) =>
        new Promise((resolve, reject) => {
          world.clock.alarm(2_000, () => known.verify(token, use).then(resolve, reject))
        }),
    }
    world.ports.keys = { ...world.ports.keys, find: () => new Promise(() => {}) }
    const answered = send(tokens.issue('ada-at-as'))
    await world.clock.advance(5_000)
    expect((await answered).status).toBe(503)
  })
})

describe('a slow issuer', () => {
  test('leaves the store its whole time', async () => {
    await linkIdentity(world, 'ada', 'ada-at-as')
    const delayed = <T>(ms: number, work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        world.clock.alarm(ms, () => work().then(resolve, reject))
      })
    const { keys, tokenVerifier } = world.ports
    world.ports.tokenVerifier = {
      asksIssuer: () => false,
      verify: (token, use) => delayed(2_000, () => tokenVerifier.verify(token, use)),
    }
    let finds = 0
    world.ports.keys = {
      ...keys,
      find: (keyHash) => {
        finds += 1
        return finds === 1 ? delayed(2_000, () => keys.find(keyHash)) : keys.find(keyHash)
      },
    }
    const answered = LIST(tokens.issue('ada-at-as'))
    await world.clock.advance(5_000)
    expect((await answered).status).toBe(200)
  })
})

describe('a caller without a credential', () => {
  test.each<[string, string, Send]>([
    ['POST /mcp', '/mcp', LIST],
    ['GET /mcp', '/mcp', GET],
    ['POST /v1/execute', '/v1/execute', EXECUTE],
  ])('is told at %s where to log in', async (_door, path, send) => {
    const out = await send(undefined)
    expect([out.status, out.headers['www-authenticate']]).toEqual([401, challengeAt(path)])
  })

  test('is told so by a stream if the stage takes no anonymous ones', async () => {
    const streams = { ...world.settings.streams, anonymousMax: 0 }
    const door = createSseDoor(world.ports, { ...world.settings, streams })
    const out = await ask(door, 'GET', '/v1/mcp/sse')
    expect([out.status, out.headers['www-authenticate']]).toEqual([401, challengeAt('/v1/mcp/sse')])
  })

  test('lists tools if the operator allows it, and gets 405 for a GET', async () => {
    world = makeWorld({ ...ISSUER_SETTINGS, anonymousList: true })
    expect((await LIST(undefined)).status).toBe(200)
    expect((await GET(undefined)).status).toBe(405)
    const call = await post(doorOf(world), legacy('tools/call', CALL))
    expect([call.status, call.headers['www-authenticate']]).toEqual([401, challengeAt('/mcp')])
  })

  test('is told of the path that it called, with and without a slash', async () => {
    for (const path of ['/v1/mcp', '/v1/mcp/']) {
      const out = await ask(doorOf(world), 'POST', path, legacy('tools/list'))
      expect(out.headers['www-authenticate']).toBe(challengeAt('/v1/mcp'))
    }
  })

  test('is told of the configured origin, whatever Host it sent', async () => {
    const sent = legacy('tools/list', {}, { headers: { host: 'evil.example' } })
    expect((await post(doorOf(world), sent)).headers['www-authenticate']).toBe(challengeAt('/mcp'))
  })
})

describe('a text that an issuer is asked about', () => {
  const OLD = 'oldkey-123456789'

  beforeEach(async () => {
    world.ports.tokenVerifier = {
      asksIssuer: (token) => !token.startsWith('eyJ'),
      verify: async () => ({ kind: 'refused', reason: 'inactive' }),
    }
    // As a key of the earlier service is found: by the hash of its text, and without a proof.
    const { find } = world.ports.keys
    const hash = world.ports.digests.sha256(OLD)
    const [own] = await world.ports.keys.list('ada')
    world.ports.keys = {
      ...world.ports.keys,
      find: async (keyHash) => {
        if (keyHash !== hash || own === undefined) return find(keyHash)
        // Keys of the earlier service have no proof.
        const { proof: _, ...old } = own
        return old
      },
    }
  })

  test('works as a key of the earlier service if the issuer does not know it', async () => {
    expect((await LIST(`Bearer ${OLD}`)).status).toBe(200)
    expect((await EXECUTE(`Bearer ${OLD}`)).status).toBe(200)
  })

  test('is refused as a token if it is no key either', async () => {
    const out = await LIST('Bearer unknown-text')
    expect(out.status).toBe(401)
    expect(String(out.json()['detail'])).toContain('this access token is not accepted')
  })

  test('is not looked up as a key if it is a JWT', async () => {
    const asked: string[] = []
    const { find } = world.ports.keys
    world.ports.keys = {
      ...world.ports.keys,
      find: (keyHash) => {
        asked.push(keyHash)
        return find(keyHash)
      },
    }
    expect((await LIST('Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln')).status).toBe(401)
    expect(asked).toEqual([])
  })
})

describe('a token that no issuer made', () => {
  test('is limited as an unknown key of the earlier service is', async () => {
    const door = doorOf(world)
    const send = (token: string) => post(door, withKey(`Bearer ${token}`, legacy('tools/list')))
    const statuses = new Set<number>()
    for (let count = 0; count < V0_UNKNOWN_PER_MINUTE; count += 1) {
      statuses.add((await send(`unknown-${count}`)).status)
    }
    expect([...statuses]).toEqual([401])
    expect((await send('one-more')).status).toBe(429)
    await linkIdentity(world, 'ada', 'ada-at-as')
    expect(
      (await post(door, withKey(tokens.issue('ada-at-as'), legacy('tools/list')))).status,
    ).toBe(200)
  })
})
