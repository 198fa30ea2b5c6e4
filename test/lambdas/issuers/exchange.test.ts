/** Token exchange: the token of an issuer goes from its door to one token endpoint, and nowhere else. */
import { beforeEach, describe, expect, test } from 'vitest'
import { setSecret } from '../../../core/flow/users/manage-secrets.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { ask } from '../door-client.ts'
import { doorByEvent, doorOf, legacy, post, withKey } from '../mcp/agent.ts'
import {
  acceptTokens,
  ISSUER_SETTINGS,
  type IssuedTokens,
  linkIdentity,
  openTokenStream,
} from './issued-tokens.ts'

const CALL = { name: 'sg_orders', arguments: {} }
const AUTH = {
  type: 'oauth2',
  grant: 'token_exchange',
  token_url: 'https://as.example/token',
  client_id_secret: 'CLIENT_ID',
  client_secret_secret: 'CLIENT_SECRET',
  audience: 'orders-api',
}
const TOKEN = JSON.stringify({ access_token: 'token-for-orders', token_type: 'Bearer' })

let world: World
let tokens: IssuedTokens
let ada: string

beforeEach(async () => {
  world = makeWorld(ISSUER_SETTINGS)
  tokens = acceptTokens(world)
  ada = await world.user('ada')
  await world.skill('sg_orders', { price: 2, config: { auth: AUTH } })
  for (const name of ['CLIENT_ID', 'CLIENT_SECRET']) {
    const place = { uid: 'ada', name, skill: 'sg_orders' }
    okOf(await setSecret(world.ports, world.settings, place, { value: `value of ${name}` }))
  }
  await linkIdentity(world, 'ada', 'ada-at-as')
})

const refusal = expect.stringContaining('acts with the login of its caller')

function script(): void {
  world.upstream.next({ kind: 'answer', body: TOKEN })
  world.upstream.next({ kind: 'answer', body: '{"orders":[]}' })
}

/** The bodies and headers of everything that was sent, by URL. */
function sentTo(url: string): string {
  return JSON.stringify(world.upstream.requests.filter((request) => request.url === url))
}

describe('a call with a token of an issuer', () => {
  test('at /mcp sends it to the token endpoint, and the exchanged one to the upstream', async () => {
    script()
    const bearer = tokens.issue('ada-at-as')
    const out = await post(doorOf(world), withKey(bearer, legacy('tools/call', CALL)))
    await world.clock.settle()
    expect(out.json()).toMatchObject({ result: { isError: false } })
    const token = bearer.replace('Bearer ', '')
    expect(sentTo('https://as.example/token')).toContain(token)
    const upstream = sentTo('https://api.example/sg_orders')
    expect(upstream).toContain('Bearer token-for-orders')
    expect(upstream).not.toContain(token)
    expect(JSON.stringify(world.log.notes)).not.toContain(token)
  })

  test('at /v1/execute is exchanged, too', async () => {
    script()
    const out = await ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
      headers: { authorization: tokens.issue('ada-at-as') },
      body: { skill: 'sg_orders' },
    })
    expect(out.status).toBe(200)
  })

  test('is refused in words by another function, which gets no token', async () => {
    const sent = withKey(tokens.issue('ada-at-as'), legacy('tools/call', CALL))
    const out = await post(doorByEvent(world), sent)
    expect(out.json()).toMatchObject({ result: { isError: true, content: [{ text: refusal }] } })
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is refused in words on a stream of HTTP+SSE, whose session keeps no token', async () => {
    const stream = await openTokenStream(world, tokens.issue('ada-at-as'))
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL })
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([
      { result: { isError: true, content: [{ text: refusal }] } },
    ])
    stream.close()
    await world.clock.settle()
  })
})

test('a call with an API key is refused in words, and no key is exchanged', async () => {
  const out = await post(doorOf(world), withKey(ada, legacy('tools/call', CALL)))
  expect(out.json()).toMatchObject({ result: { isError: true, content: [{ text: refusal }] } })
  expect(world.upstream.requests).toEqual([])
})
