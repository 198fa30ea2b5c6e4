import { describe, expect, test } from 'vitest'
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { makeWorld, skillJson, type World } from '../../core/flow/world.ts'

const INTERNAL = { authorization: 'Bearer internal-secret' }
const ADMIN_KEY = { 'x-admin-key': 'admin-key' }

type AdminRequest = {
  readonly body?: Json | string
  readonly headers?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: string }
}

async function send(world: World, method: string, path: string, sent: AdminRequest = {}) {
  const { body, headers = INTERNAL, query } = sent
  const event = {
    httpMethod: method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    queryStringParameters: query ?? null,
    requestContext: { requestId: 'r', stage: 'v1' },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  const answer = await createAdminDoor(world.ports, world.settings)(event, context)
  const json: Json = JSON.parse(answer.body)
  const value: JsonObject = isJsonObject(json) ? json : {}
  return { status: answer.statusCode, headers: answer.headers, json: value }
}

describe('credentials', () => {
  test('every request is refused while the secrets cannot be read, with a time to retry', async () => {
    const world = makeWorld()
    const fault = new Fault('store_unavailable', 'secret skillgate/admin: could not be fetched')
    world.ports.adminSecrets = { read: () => Promise.reject(fault) }
    const { status, headers, json } = await send(world, 'POST', '/v1/admin/refresh-tools')
    expect([status, json['code'], headers['retry-after']]).toEqual([503, 'store_unavailable', '1'])
    expect(JSON.stringify(json)).not.toContain('skillgate/admin')
    const without = await send(world, 'POST', '/v1/admin/refresh-tools', { headers: {} })
    expect(without.status).toBe(401)
  })

  test('a faulty body is not judged without a credential', async () => {
    const answer = await send(makeWorld(), 'POST', '/v1/admin/users', { headers: {}, body: '{' })
    expect(answer.status).toBe(401)
  })
})

describe('routes', () => {
  test('POST refresh-tools answers the time of the change', async () => {
    const world = makeWorld()
    const { status, json } = await send(world, 'POST', '/admin/refresh-tools')
    expect([status, json]).toEqual([200, { changedAtMs: world.clock.nowMs() }])
  })

  test('POST refresh-tools takes an empty object, and refuses a body that it does not understand', async () => {
    const world = makeWorld()
    const refresh = (body: Json) => send(world, 'POST', '/v1/admin/refresh-tools', { body })
    expect((await refresh({})).status).toBe(200)
    const before = await world.ports.toolListVersion.read()
    const refused = await Promise.all(['{"broken', '[]', 'null', { mode: 'rebuild' }].map(refresh))
    expect(refused.map(({ status, json }) => [status, json['code']])).toEqual([
      [400, 'malformed'],
      [400, 'malformed'],
      [400, 'malformed'],
      [422, 'invalid_arguments'],
    ])
    expect(refused[3]?.json['detail']).toBe('/mode: is not a field of this request; it takes none')
    expect(await world.ports.toolListVersion.read()).toBe(before)
  })

  test('POST sync_skill is 201 for a new skill, 200 after that', async () => {
    const world = makeWorld()
    const body = skillJson('sg_weather')
    const first = await send(world, 'POST', '/v1/admin/sync_skill', { body, headers: ADMIN_KEY })
    expect([first.status, first.json['created'], first.json['listed']]).toEqual([201, true, true])
    const again = await send(world, 'POST', '/v1/admin/sync_skill', { body })
    expect([again.status, again.json['created']]).toEqual([200, false])
  })

  test('POST sync_skill takes source, uid and list from the query', async () => {
    const world = makeWorld()
    await world.user('ada')
    const { source: _source, ...body } = skillJson('sg_mine')
    const query = { source: 'private', uid: 'ada' }
    const mine = await send(world, 'POST', '/v1/admin/sync_skill', { body, query })
    expect(mine.json['toolName']).toBe('ada_sg_mine')
    const later = { source: 'official', list: 'later' }
    const listed = await send(world, 'POST', '/v1/admin/sync_skill', { body, query: later })
    expect(listed.json['listed']).toBe(false)
  })

  test.each([
    ['an unknown tier', { source: 'secret' }, 'source'],
    ['an unknown list', { list: 'never' }, 'list'],
  ])('POST sync_skill with %s is 400', async (_what, query, named) => {
    const sent = { body: skillJson('sg_x'), query }
    const { status, json } = await send(makeWorld(), 'POST', '/v1/admin/sync_skill', sent)
    expect(status).toBe(400)
    expect(json['detail']).toContain(named)
  })

  test('POST sync_cache without a body rebuilds the list', async () => {
    const world = makeWorld()
    await world.skill('sg_weather')
    const { status, json } = await send(world, 'POST', '/v1/admin/sync_cache')
    expect([status, json['tools']]).toEqual([200, 1])
  })

  test('a user is made, given credits and a key, and looked up', async () => {
    const world = makeWorld()
    const body = { username: 'ada', uid: 'u1' }
    expect((await send(world, 'POST', '/v1/admin/users', { body })).status).toBe(201)
    expect((await send(world, 'POST', '/v1/admin/users', { body })).status).toBe(409)
    const grant = { grantId: 'g', amount: 5 }
    const granted = await send(world, 'POST', '/v1/admin/users/u1/credits', { body: grant })
    expect(granted.status).toBe(200)
    const key = await send(world, 'POST', '/v1/admin/users/u1/keys')
    expect([key.status, key.json['key']]).toEqual([201, expect.stringMatching(/^sgk_/)])
    expect((await send(world, 'GET', '/v1/admin/users/u1')).json).toMatchObject({ credits: 5 })
    expect((await send(world, 'GET', '/v1/admin/users/u%32')).status).toBe(404)
  })

  test('an unknown path gets the list of them, and a wrong method the allowed ones', async () => {
    const world = makeWorld()
    const nothing = await send(world, 'GET', '/v1/admin/nothing')
    expect(nothing.status).toBe(404)
    expect(nothing.json['detail']).toContain('POST /v1/admin/sync_skill')
    const wrong = await send(world, 'DELETE', '/v1/admin/sync_cache')
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST'])
  })

  test.each(['{', '', '\u0000'])('a body that is not JSON (%j) is 400', async (body) => {
    const { status, json } = await send(makeWorld(), 'POST', '/v1/admin/users', { body })
    expect([status, json['code']]).toEqual([400, 'malformed'])
  })

  test('a body of 3 MB is taken, and one byte more is 413', async () => {
    const world = makeWorld()
    const ofBytes = (bytes: number) => `"${'a'.repeat(bytes - 2)}"`
    const at = await send(world, 'POST', '/v1/admin/sync_cache', { body: ofBytes(3_000_000) })
    expect(at.status).not.toBe(413)
    const past = await send(world, 'POST', '/v1/admin/sync_cache', { body: ofBytes(3_000_001) })
    expect([past.status, past.json['code']]).toEqual([413, 'too_large'])
  })
})
