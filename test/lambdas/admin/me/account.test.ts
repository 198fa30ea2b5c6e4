/** GET /v1/me: whom a credential names, and which credentials are refused. */
import { beforeEach, expect, test } from 'vitest'
import { makeWorld, type World } from '../../../core/flow/world.ts'
import { askAdmin } from '../admin-client.ts'
import { askMe } from './user-client.ts'

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { credits: 25, groups: ['finance'] })
})

test('a key shows the account of its user', async () => {
  const { json, status } = await askMe(world, ada, 'GET /me')
  expect([status, json]).toEqual([
    200,
    {
      uid: 'ada',
      username: 'ada',
      state: 'active',
      tier: 'free',
      groups: ['finance'],
      credits: 25,
      creditsOnHold: 0,
      keyId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      mayManage: true,
      urls: {},
      login: false,
    },
  ])
})

test.each([
  ['no credential', undefined],
  ['an unknown key', `Bearer sgk_${'A'.repeat(43)}`],
  ['an admin key', 'Bearer admin-key'],
  ['the internal secret', 'Bearer internal-secret'],
  ['an empty header', ''],
])('%s is refused with 401 and a challenge', async (_what, authorization) => {
  const { headers, json, status } = await askMe(world, authorization, 'GET /me')
  expect([status, json['code']]).toEqual([401, 'unauthenticated'])
  expect(headers['www-authenticate']).toContain('Bearer')
})

test('a path without a route names the routes to a user, and nothing to anybody else', async () => {
  const { json, status } = await askMe(world, ada, 'GET /me/nothing')
  expect([status, json['code']]).toEqual([404, 'not_found'])
  expect(json['detail']).toContain('GET /v1/me/ledger')
  expect((await askMe(world, undefined, 'GET /me/nothing')).status).toBe(401)
  expect((await askMe(world, ada, 'PUT /me')).headers['allow']).toBe('GET')
})

test('a disabled user is refused with the reason', async () => {
  const body = { state: 'disabled', reason: 'left the company' }
  await askAdmin(world, 'PATCH', '/users/ada', { body })
  const { json, status } = await askMe(world, ada, 'GET /me')
  expect([status, json['code']]).toEqual([403, 'user_disabled'])
  expect(json['detail']).toContain('left the company')
})

test('requests are counted in the minute of the key: the limit is served, one more is refused', async () => {
  const bob = await world.user('bob', { tier: 'small' })
  const statuses = []
  for (let sent = 0; sent < 4; sent += 1) statuses.push((await askMe(world, bob, 'GET /me')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await askMe(world, bob, 'GET /me')).headers['retry-after']).toMatch(/^\d+$/)
})

test('paths that are not served count too, so that they cannot be searched', async () => {
  const bob = await world.user('bob', { tier: 'small' })
  for (let sent = 0; sent < 3; sent += 1) await askMe(world, bob, 'GET /me/nothing')
  expect((await askMe(world, bob, 'GET /me')).status).toBe(429)
})
