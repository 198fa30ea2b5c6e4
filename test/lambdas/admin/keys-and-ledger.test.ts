/** The admin routes of keys and of the ledger, as HTTP shows them. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { run } from '../../core/flow/caller.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

async function send(
  world: World,
  method: string,
  path: string,
  query: { readonly [name: string]: string } | null = null,
) {
  const event = {
    httpMethod: method,
    path,
    headers: { 'x-admin-key': 'admin-key' },
    queryStringParameters: query,
    requestContext: { requestId: 'r', stage: 'v1' },
    body: null,
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

function listIn(text: string, name: string): readonly JsonObject[] {
  const list = objectIn(text)[name]
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

describe('GET users/{uid}/keys', () => {
  test('lists the keys, page by page', async () => {
    const world = makeWorld()
    await world.user('ada')
    const issued = await send(world, 'POST', '/v1/admin/users/ada/keys')
    expect(issued.status).toBe(201)
    const all = await send(world, 'GET', '/v1/admin/users/ada/keys')
    expect(all.status).toBe(200)
    const ids = listIn(all.body, 'keys').map((key) => key['keyId'])
    expect(ids).toHaveLength(2)
    expect(ids).toContain(objectIn(issued.body)['keyId'])
    expect(all.body).not.toContain(String(objectIn(issued.body)['key']))
    const first = await send(world, 'GET', '/v1/admin/users/ada/keys', { limit: '1' })
    const cursor = String(objectIn(first.body)['nextCursor'])
    const second = await send(world, 'GET', '/v1/admin/users/ada/keys', { limit: '1', cursor })
    const paged = [first, second].flatMap(({ body }) => listIn(body, 'keys'))
    expect(paged.map((key) => key['keyId'])).toEqual(ids)
    expect(objectIn(second.body)['nextCursor']).toBeUndefined()
  })

  test('of an unknown user is 404, with an invalid limit 400', async () => {
    const world = makeWorld()
    await world.user('ada')
    expect((await send(world, 'GET', '/v1/admin/users/eve/keys')).status).toBe(404)
    const bad = await send(world, 'GET', '/v1/admin/users/ada/keys', { limit: '101' })
    expect([bad.status, objectIn(bad.body)['detail']]).toEqual([
      400,
      '/query/limit: must be a whole number from 1 to 100',
    ])
  })
})

describe('DELETE users/{uid}/keys/{keyId}', () => {
  test('revokes: 204 without a body, 404 when it is gone, 401 for its holder', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const listed = await send(world, 'GET', '/v1/admin/users/ada/keys')
    const keyId = String(listIn(listed.body, 'keys')[0]?.['keyId'])
    const path = `/v1/admin/users/ada/keys/${keyId}`
    const revoked = await send(world, 'DELETE', path)
    expect([revoked.status, revoked.body, revoked.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
    ])
    const again = await send(world, 'DELETE', path)
    expect([again.status, objectIn(again.body)['code']]).toEqual([404, 'not_found'])
    expect((await run(world, ada, 'sg_weather')).body).toMatchObject({ status: 401 })
  })

  test('DELETE and PATCH are the only methods of that path', async () => {
    const world = makeWorld()
    const { status, headers } = await send(world, 'GET', '/v1/admin/users/ada/keys/k')
    expect([status, headers['allow']]).toEqual([405, 'PATCH, DELETE'])
  })
})

describe('GET users/{uid}/ledger', () => {
  test("lists the user's calls, page by page", async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather', { price: 0.001 })
    for (let n = 0; n < 3; n += 1) {
      await run(world, ada, 'sg_weather')
      await world.clock.advance(1_000)
    }
    const first = await send(world, 'GET', '/v1/admin/users/ada/ledger', { limit: '2' })
    expect(first.status).toBe(200)
    expect(listIn(first.body, 'entries')[0]).toMatchObject({
      skillId: 'sg_weather',
      source: 'official',
      skillVersion: 1,
      state: 'settled',
      amount: 0.001,
      charged: 0.001,
    })
    const cursor = String(objectIn(first.body)['nextCursor'])
    const rest = await send(world, 'GET', '/v1/admin/users/ada/ledger', { cursor })
    expect(listIn(rest.body, 'entries')).toHaveLength(1)
    expect(objectIn(rest.body)['nextCursor']).toBeUndefined()
  })

  test('of an unknown user is 404, with a foreign cursor 400', async () => {
    const world = makeWorld()
    await world.user('ada')
    expect((await send(world, 'GET', '/v1/admin/users/eve/ledger')).status).toBe(404)
    const bad = await send(world, 'GET', '/v1/admin/users/ada/ledger', { cursor: 'x' })
    expect([bad.status, objectIn(bad.body)['code']]).toEqual([400, 'malformed'])
  })
})

test('a change of a key without a field is refused with the fields that it can have', async () => {
  const world = makeWorld()
  await world.user('ada')
  const [key] = await world.ports.keys.list('ada')
  const path = `/users/ada/keys/${key?.keyHash}`
  const refused = await askAdmin(world, 'PATCH', path, { body: {} })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.json)).toContain(
    'is empty; send tools, maxCreditsPerCall, monthlyBudget, callsPerDay or mayIssueKeys',
  )
})

describe('issuing a key', () => {
  test('takes no body or an empty one, and refuses a field that it would not obey', async () => {
    const world = makeWorld()
    await world.user('ada')
    const issue = (body?: Json) =>
      askAdmin(world, 'POST', '/users/ada/keys', body === undefined ? {} : { body })
    expect((await issue()).status).toBe(201)
    expect((await issue({})).status).toBe(201)
    const refused = await issue({ expiresInDays: 5 })
    expect(refused.status).toBe(422)
    expect(refused.json).toMatchObject({ errors: [{ pointer: '/expiresInDays' }] })
    expect(await world.ports.keys.list('ada')).toHaveLength(3)
  })
})
