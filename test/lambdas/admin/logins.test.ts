/** Logins of a user for administrators: listed with what is known of the client, and ended. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, post } from '../mcp/agent.ts'
import { LOGIN_SETTINGS, logIn } from '../mcp/log-in.ts'
import { askAdmin } from './admin-client.ts'

let world: World
let door: StreamingHandler
let key: { readonly uid: string; readonly keyHash: string }

beforeEach(async () => {
  world = makeWorld(LOGIN_SETTINGS)
  door = doorOf(world)
  await world.user('ada')
  const [first] = await world.ports.keys.list('ada')
  key = { uid: 'ada', keyHash: first?.keyHash ?? '' }
})

async function list(query = ''): Promise<{ logins: readonly JsonObject[]; next: unknown }> {
  const { json, status } = await askAdmin(world, 'GET', '/users/ada/logins', { query })
  expect(status).toBe(200)
  const { logins, nextCursor } = json
  return { logins: Array.isArray(logins) ? (logins as JsonObject[]) : [], next: nextCursor }
}

describe('GET users/{uid}/logins', () => {
  test('lists a login with client, hosts, key and times', async () => {
    const { id } = await logIn(world, door, key)
    const nowMs = world.ports.clock.nowMs()
    expect((await list()).logins).toEqual([
      {
        loginId: id,
        clientName: 'Test',
        redirectHost: '127.0.0.1',
        keyId: key.keyHash,
        createdAtMs: nowMs,
        lastRefreshAtMs: nowMs,
      },
    ])
  })

  test('leaves out a login that ended, one whose code was not exchanged, and an old one', async () => {
    const ended = await logIn(world, door, key, 'ended')
    await world.ports.logins.end(ended.id)
    const login = await world.ports.logins.find(ended.id)
    if (login === undefined) throw new Error('the login is gone')
    const { endedAtMs: _, ...alive } = login
    await world.ports.logins.create({ ...alive, id: 'a'.repeat(22), generation: 0 })
    const rotatedAtMs = world.ports.clock.nowMs() - 2_592_000_000
    await world.ports.logins.create({ ...alive, id: 'b'.repeat(22), rotatedAtMs })
    expect((await list()).logins).toEqual([])
    await world.ports.logins.create({
      ...alive,
      id: 'c'.repeat(22),
      rotatedAtMs: rotatedAtMs + 1,
      clientHost: 'client.example',
    })
    expect((await list()).logins).toMatchObject([
      { loginId: 'c'.repeat(22), clientHost: 'client.example' },
    ])
  })

  test('gives page by page, newest first', async () => {
    const ids: string[] = []
    for (const nonce of ['one', 'two', 'three']) {
      ids.unshift((await logIn(world, door, key, nonce)).id)
      await world.clock.advance(1)
    }
    const first = await list('limit=2')
    expect(first.logins.map(({ loginId }) => loginId)).toEqual(ids.slice(0, 2))
    const second = await list(`limit=2&cursor=${String(first.next)}`)
    expect(second.logins.map(({ loginId }) => loginId)).toEqual(ids.slice(2))
    expect(second.next).toBeUndefined()
  })

  test('takes a page of 100, and not of 101, and refuses an unknown user and a wrong cursor', async () => {
    const ask = (uid: string, query: string) =>
      askAdmin(world, 'GET', `/users/${uid}/logins`, { query })
    expect((await ask('ada', 'limit=100')).status).toBe(200)
    expect((await ask('ada', 'limit=101')).status).toBe(400)
    expect((await ask('ada', 'cursor=x')).status).toBe(400)
    expect((await ask('nobody', '')).status).toBe(404)
  })
})

describe('DELETE users/{uid}/logins/{loginId}', () => {
  test('ends one login within 30 s, and neither its key nor another login', async () => {
    const ended = await logIn(world, door, key, 'ended')
    const kept = await logIn(world, door, key, 'kept')
    const statusOf = async (authorization: string) =>
      (await post(door, legacy('tools/list', {}, { headers: { authorization } }))).status
    expect(await statusOf(ended.bearer())).toBe(200)
    const path = `/users/ada/logins/${ended.id}`
    expect((await askAdmin(world, 'DELETE', path)).status).toBe(204)
    await expect(ended.refresh()).rejects.toThrow('invalid_grant')
    await world.clock.advance(30_000)
    expect(await statusOf(ended.bearer())).toBe(401)
    expect(await statusOf(kept.bearer())).toBe(200)
    expect((await list()).logins).toHaveLength(1)
    expect((await askAdmin(world, 'DELETE', path)).status).toBe(204)
  })

  test("refuses another user's login and an unknown one in the same words", async () => {
    const { bearer, id } = await logIn(world, door, key)
    await world.user('bob')
    const other = await askAdmin(world, 'DELETE', `/users/bob/logins/${id}`)
    const unknown = await askAdmin(world, 'DELETE', `/users/bob/logins/${'x'.repeat(22)}`)
    expect([other.status, unknown.status]).toEqual([404, 404])
    expect(other.json['detail']).toBe(unknown.json['detail'])
    const headers = { authorization: bearer() }
    expect((await post(door, legacy('tools/list', {}, { headers }))).status).toBe(200)
  })
})
