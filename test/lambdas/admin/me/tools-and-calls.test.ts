/** Tools that a user may call with the secrets that they need, and calls that a user tries and reads. */
import { beforeEach, describe, expect, test } from 'vitest'
import { TRIED_ANSWER_BYTES_MAX, tryCall } from '../../../../core/flow/account/try-call.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, type World } from '../../../core/flow/world.ts'
import { askAdmin } from '../admin-client.ts'
import { askMe } from './user-client.ts'

const NEEDING = { config: { headers: { 'x-key': '{{secrets.API_KEY}}' } } }
const VALUE = 'correct horse battery staple'

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { credits: 10, groups: ['finance'] })
})

async function tools(query = '', key = ada): Promise<readonly JsonObject[]> {
  const { json } = await askMe(world, key, `GET /me/tools${query}`)
  return Array.isArray(json['tools']) ? json['tools'].filter(isJsonObject) : []
}

const namesOf = (listed: readonly JsonObject[]) => listed.map(({ name }) => name)

describe('tools', () => {
  test('those of other groups, and the private ones of others, are not among them', async () => {
    await world.user('bob')
    await world.skill('sg_all')
    await world.skill('sg_finance', { groups: ['finance'] })
    await world.skill('sg_board', { groups: ['board'] })
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    await world.skill('sg_bobs', { source: 'private', uid: 'bob' })
    expect(namesOf(await tools())).toEqual(['ada_sg_mine', 'sg_all', 'sg_finance'])
    expect(namesOf(await tools('?search=board'))).toEqual([])
  })

  test('a tool has its price and schema, and says where a secret goes and whether it is set', async () => {
    await world.skill('sg_weather', { ...NEEDING, price: 0.5 })
    const [before] = await tools()
    expect(before).toEqual({
      name: 'sg_weather',
      title: 'sg_weather',
      description: 'What sg_weather does.',
      inputSchema: expect.objectContaining({ type: 'object' }),
      price: 0.5,
      source: 'official',
      skillId: 'sg_weather',
      secrets: [{ name: 'API_KEY', origins: ['https://api.example'], isSet: false }],
    })
    await askMe(world, ada, 'PUT /me/secrets/API_KEY?skill=sg_weather', { body: { value: VALUE } })
    expect((await tools())[0]?.['secrets']).toMatchObject([{ name: 'API_KEY', isSet: true }])
  })

  test('a secret of the gateway counts for official tools, and one for another origin does not', async () => {
    await world.skill('sg_weather', NEEDING)
    const body = { value: VALUE, origins: ['https://api.example'] }
    await askAdmin(world, 'PUT', '/secrets/API_KEY', { body })
    expect((await tools())[0]?.['secrets']).toMatchObject([{ isSet: true, isShared: true }])
    const elsewhere = { value: VALUE, origins: ['https://other.example'] }
    await askMe(world, ada, 'PUT /me/secrets/API_KEY', { body: elsewhere })
    expect((await tools())[0]?.['secrets']).toMatchObject([{ isSet: false, mustConfirm: true }])
  })

  test('pages follow each other, and a search has one page', async () => {
    for (const id of ['sg_a', 'sg_b', 'sg_c']) await world.skill(id)
    const { json } = await askMe(world, ada, 'GET /me/tools?limit=2')
    expect(namesOf(await tools(`?limit=2&cursor=${json['nextCursor']}`))).toEqual(['sg_c'])
    const both = await askMe(world, ada, `GET /me/tools?search=sg_a&cursor=${json['nextCursor']}`)
    expect([both.status, both.json['code']]).toEqual([400, 'malformed'])
    expect((await askMe(world, ada, 'GET /me/tools?limit=51')).status).toBe(400)
    expect((await askMe(world, ada, 'GET /me/tools?limit=50')).status).toBe(200)
    expect((await askMe(world, ada, 'GET /me/tools?cursor=abc')).status).toBe(400)
  })
})

describe('a call that a user tries', () => {
  test('has the answer of execute, is charged, and is found again', async () => {
    await world.skill('sg_weather', { price: 2 })
    const body = { skill: 'sg_weather', arguments: {} }
    const headers = { 'content-type': 'application/json', 'user-agent': 'console/1' }
    const tried = await askMe(world, ada, 'POST /me/calls', { body, headers })
    expect([tried.status, tried.json]).toMatchObject([
      200,
      { skillId: 'sg_weather', isError: false, credits: { charged: 2, refunded: 0, remaining: 8 } },
    ])
    const { json } = await askMe(world, ada, `GET /me/calls/${tried.json['callId']}`)
    expect(json).toMatchObject({
      outcome: 'settled',
      charged: 2,
      door: 'rest',
      client: 'console/1',
    })
    const { json: account } = await askMe(world, ada, 'GET /me')
    expect([account['credits'], account['creditsOnHold']]).toEqual([8, 0])
  })

  test('a failed call is refunded, and its record names neither host nor answer of the upstream', async () => {
    await world.skill('sg_weather', { price: 2 })
    world.upstream.next({ kind: 'answer', status: 503, body: 'host db7.internal is down' })
    const body = { skill: 'sg_weather', arguments: {} }
    const tried = await askMe(world, ada, 'POST /me/calls', { body })
    expect([tried.status, tried.json['code']]).toEqual([502, 'upstream_failed'])
    const call = await askMe(world, ada, `GET /me/calls/${tried.json['callId']}`)
    expect(call.json).toMatchObject({ outcome: 'refunded', reason: 'upstream_failed', charged: 0 })
    expect(call.text).not.toMatch(/db7|api\.example|upstreamHost|excerpt|traceId/)
  })

  test('a key that is sent again gives the first answer, charged once', async () => {
    await world.skill('sg_weather', { price: 2 })
    const body = { skill: 'sg_weather', arguments: {} }
    const headers = { 'idempotency-key': 'once' }
    const first = await askMe(world, ada, 'POST /me/calls', { body, headers })
    const second = await askMe(world, ada, 'POST /me/calls', { body, headers })
    expect(second.json['callId']).toBe(first.json['callId'])
    expect((await world.credits('ada')).free).toBe(8)
    const bad = await askMe(world, ada, 'POST /me/calls', {
      body,
      headers: { 'idempotency-key': 'two words' },
    })
    expect(bad.status).toBe(400)
  })

  test.each([
    ['an empty body', '', 400],
    ['a text that is no JSON', '{', 400],
    ['a field that is no field', '{"skill":"sg_x","uid":"bob"}', 400],
    ['an unknown tool', '{"skill":"sg_nothing"}', 404],
  ])('%s is refused as execute refuses it', async (_what, body, status) => {
    expect((await askMe(world, ada, 'POST /me/calls', { body })).status).toBe(status)
  })

  test('a call counts once in the minute of its key, and leaves no change in the trail', async () => {
    await world.skill('sg_weather', { price: 0 })
    const bob = await world.user('bob', { tier: 'small' })
    const body = { skill: 'sg_weather', arguments: {} }
    const statuses = []
    for (let sent = 0; sent < 4; sent += 1) {
      statuses.push((await askMe(world, bob, 'POST /me/calls', { body })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    const trail = await askAdmin(world, 'GET', '/audit', { query: 'who=bob' })
    expect(trail.json['changes']).toEqual([])
  })

  test('a limited key calls what it may call, and nothing else', async () => {
    await world.skill('sg_weather')
    await world.skill('sg_other')
    const { json } = await askMe(world, ada, 'POST /me/keys', { body: { tools: ['sg_weather'] } })
    const key = `Bearer ${String(json['key'])}`
    expect(namesOf(await tools('', key))).toEqual(['sg_weather'])
    const call = (skill: string) => askMe(world, key, 'POST /me/calls', { body: { skill } })
    expect((await call('sg_weather')).status).toBe(200)
    expect((await call('sg_other')).json['code']).toBe('key_scope')
  })

  test('an answer at the limit of this path is given, and a longer one is refused with its charge', async () => {
    const credits = { charged: 1, refunded: 0, remaining: 9 }
    const answer = (text: string) => ({
      kind: 'success' as const,
      body: {
        callId: 'c1',
        skillId: 'sg_x',
        source: 'official' as const,
        content: [{ type: 'text' as const, text }],
        isError: false,
        credits,
        durationMs: 1,
      },
    })
    const room = TRIED_ANSWER_BYTES_MAX - JSON.stringify(answer('').body).length
    const tryWith = async (chars: number) => {
      world.ports.execute = {
        ...world.ports.execute,
        execute: async () => answer('x'.repeat(chars)),
      }
      const credential = { kind: 'anonymous' } as const
      const sent = {
        credential,
        text: '{"skill":"sg_x"}',
        idempotencyKey: undefined,
        client: undefined,
      }
      return okOf(await tryCall(world.ports, sent))
    }
    expect((await tryWith(room)).kind).toBe('success')
    expect(await tryWith(room + 1)).toMatchObject({
      kind: 'problem',
      body: { code: 'too_large', callId: 'c1', credits },
    })
  })
})

test('usage and statements are those of the caller, and a statement names no administrator', async () => {
  await world.user('bob', { credits: 77 })
  const grant = { grantId: 'g1', amount: 5, reason: 'a note for operators' }
  await askAdmin(world, 'POST', '/users/ada/credits', { body: grant })
  const month = new Date(world.clock.nowMs()).toISOString().slice(0, 7)
  const { json, status, text } = await askMe(world, ada, `GET /me/statements/${month}`)
  expect([status, json['uid'], json['granted']]).toEqual([200, 'ada', 15])
  expect(text).not.toMatch(/break-glass|a note for operators/)
  const usage = await askMe(world, ada, 'GET /me/usage?by=skill&format=csv')
  expect([usage.status, usage.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect((await askMe(world, ada, 'GET /me/ledger')).json['entries']).toEqual([])
})
