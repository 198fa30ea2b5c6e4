/** The admin routes of secrets, as HTTP shows them. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'

const VALUE = 'correct horse battery staple'

async function send(
  world: World,
  method: string,
  path: string,
  more: {
    readonly body?: string
    readonly query?: { readonly [name: string]: string }
    readonly headers?: { readonly [name: string]: string }
  } = {},
) {
  const event = {
    httpMethod: method,
    path: `/v1/admin/users/${path}`,
    headers: more.headers ?? { 'x-admin-key': 'admin-key' },
    queryStringParameters: more.query ?? null,
    requestContext: { requestId: 'r', stage: 'v1' },
    body: more.body ?? null,
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  const answer = await createAdminDoor(world.ports, world.settings)(event, context)
  return { status: answer.statusCode, headers: answer.headers, body: answer.body }
}

function objectIn(text: string): JsonObject {
  const json: Json = JSON.parse(text)
  if (!isJsonObject(json)) throw new Error(`no object: ${text}`)
  return json
}

async function worldOfAda(): Promise<World> {
  const world = makeWorld()
  await world.user('ada')
  await world.skill('sg_weather')
  return world
}

const BODY = { body: JSON.stringify({ value: VALUE }) }

describe('PUT users/{uid}/secrets/{name}', () => {
  test('sets a secret for all skills, or for one', async () => {
    const world = await worldOfAda()
    const global = await send(world, 'PUT', 'ada/secrets/API_KEY', BODY)
    expect([global.status, objectIn(global.body)]).toEqual([
      200,
      { name: 'API_KEY', origins: [], updatedAtMs: START_MS },
    ])
    const own = await send(world, 'PUT', 'ada/secrets/API_KEY', {
      ...BODY,
      query: { skill: 'sg_weather' },
    })
    expect([own.status, objectIn(own.body)['skillId']]).toEqual([200, 'sg_weather'])
  })

  test('is 404 for an unknown user, 422 for an invalid value, 400 for invalid JSON or an invalid name', async () => {
    const world = await worldOfAda()
    const asked = [
      await send(world, 'PUT', 'eve/secrets/API_KEY', BODY),
      await send(world, 'PUT', 'ada/secrets/API_KEY', { body: '{"value":"hor"}' }),
      await send(world, 'PUT', 'ada/secrets/API_KEY', { body: `{"value":"${VALUE}` }),
      await send(world, 'PUT', 'ada/secrets/api-key', BODY),
      await send(world, 'PUT', 'ada/secrets/API_KEY', {}),
    ]
    expect(asked.map(({ status }) => status)).toEqual([404, 422, 400, 400, 400])
    expect(JSON.stringify(asked)).not.toContain('hor')
    expect(JSON.stringify([world.log.notes, world.log.calls])).not.toContain('hor')
  })

  test('is 401 without a credential, before the body is looked at', async () => {
    const world = await worldOfAda()
    const answer = await send(world, 'PUT', 'ada/secrets/API_KEY', { ...BODY, headers: {} })
    expect(answer.status).toBe(401)
    expect(await world.ports.secrets.list('ada')).toEqual([])
  })

  test('is 500 when the key may not be used, and says that nothing was stored', async () => {
    const world = await worldOfAda()
    const seal = async () => ({ ok: false, error: { why: 'denied', cause: undefined } }) as const
    world.ports.secretSeals = { ...world.ports.secretSeals, seal }
    const answer = await send(world, 'PUT', 'ada/secrets/API_KEY', BODY)
    expect([answer.status, objectIn(answer.body)['detail']]).toEqual([
      500,
      'value: could not be sealed, since the gateway may not use its key. Nothing was stored; the log says why.',
    ])
  })

  test('PUT and DELETE are the only methods of that path', async () => {
    const { status, headers } = await send(await worldOfAda(), 'GET', 'ada/secrets/API_KEY')
    expect([status, headers['allow']]).toEqual([405, 'PUT, DELETE'])
  })
})

describe('GET users/{uid}/secrets', () => {
  test('lists names and dates, page by page, and never a value', async () => {
    const world = await worldOfAda()
    for (const name of ['B', 'A']) await send(world, 'PUT', `ada/secrets/${name}`, BODY)
    const all = await send(world, 'GET', 'ada/secrets')
    expect([all.status, objectIn(all.body)]).toEqual([
      200,
      {
        secrets: [
          { name: 'A', origins: [], updatedAtMs: START_MS },
          { name: 'B', origins: [], updatedAtMs: START_MS },
        ],
      },
    ])
    const first = objectIn(
      (await send(world, 'GET', 'ada/secrets', { query: { limit: '1' } })).body,
    )
    const cursor = String(first['nextCursor'])
    const second = await send(world, 'GET', 'ada/secrets', { query: { limit: '1', cursor } })
    expect(objectIn(second.body)).toEqual({
      secrets: [{ name: 'B', origins: [], updatedAtMs: START_MS }],
    })
  })

  test('of an unknown user is 404, with a foreign cursor 400', async () => {
    const world = await worldOfAda()
    expect((await send(world, 'GET', 'eve/secrets')).status).toBe(404)
    const bad = await send(world, 'GET', 'ada/secrets', { query: { cursor: 'x' } })
    expect(bad.status).toBe(400)
  })
})

describe('DELETE users/{uid}/secrets/{name}', () => {
  test('removes that secret: 204 without a body, then 404', async () => {
    const world = await worldOfAda()
    await send(world, 'PUT', 'ada/secrets/KEY', { ...BODY, query: { skill: 'weather' } })
    const none = await send(world, 'DELETE', 'ada/secrets/KEY')
    expect([none.status, objectIn(none.body)['code']]).toEqual([404, 'not_found'])
    const query = { skill: 'weather' }
    const gone = await send(world, 'DELETE', 'ada/secrets/KEY', { query })
    expect([gone.status, gone.body]).toEqual([204, ''])
    expect((await send(world, 'DELETE', 'ada/secrets/KEY', { query })).status).toBe(404)
  })
})
