/** Named keys of administrators over the admin API: made, used, listed, revoked; and the two secrets beside them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeFixedAdminSecrets } from '../../../adapters/secrets/given-admin-secrets.ts'
import { ADMIN_KEYS_MAX } from '../../../core/access/admin-key.ts'
import { Fault } from '../../../core/errors.ts'
import type { Json } from '../../../core/json/json.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ADMIN_KEY, askAdmin, INTERNAL } from './admin-client.ts'

const DAY_MS = 86_400_000

let world: World
beforeEach(() => {
  world = makeWorld()
})

function make(body: { readonly [field: string]: Json }) {
  return askAdmin(world, 'POST', '/keys', { body })
}

async function keyOf(body: { readonly [field: string]: Json }) {
  const { json } = await make(body)
  const key = String(json['key'])
  return { key, keyId: String(json['keyId']), headers: { 'x-admin-key': key } }
}

function whoami(headers: { readonly [name: string]: string }) {
  return askAdmin(world, 'GET', '/whoami', { headers })
}

async function listed(): Promise<readonly Json[]> {
  const { json } = await askAdmin(world, 'GET', '/keys')
  return Array.isArray(json['keys']) ? json['keys'] : []
}

describe('a key', () => {
  test('is shown once, and its list entry tells it apart', async () => {
    const made = await make({ name: 'grace', role: 'operator' })
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      key: expect.stringMatching(/^sga_[A-Za-z0-9_-]{43}$/),
      keyId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      name: 'grace',
      role: 'operator',
      keyPrefix: String(made.json['key']).slice(0, 8),
      createdAtMs: START_MS,
      createdBy: 'break-glass:internal-secret',
    })
    const { key, ...entry } = made.json
    expect(await listed()).toEqual([entry])
    expect(JSON.stringify(await world.ports.adminKeys.list())).not.toContain(String(key).slice(8))
  })

  test('opens routes of its role in either header', async () => {
    const { headers, key } = await keyOf({ name: 'grace', role: 'operator' })
    for (const sent of [headers, { authorization: `Bearer ${key}` }]) {
      expect((await whoami(sent)).json).toEqual({ name: 'grace', role: 'operator' })
    }
  })

  test('is refused by the next request after it was revoked, and its name is free', async () => {
    const { headers, keyId } = await keyOf({ name: 'grace', role: 'operator' })
    expect((await whoami(headers)).status).toBe(200)
    expect((await askAdmin(world, 'DELETE', `/keys/${keyId}`)).status).toBe(204)
    expect((await whoami(headers)).status).toBe(401)
    expect((await askAdmin(world, 'DELETE', `/keys/${keyId}`)).status).toBe(404)
    expect((await make({ name: 'grace', role: 'viewer' })).status).toBe(201)
  })

  test('ends at its time, stays listed, and whoami tells the time', async () => {
    const expiresAtMs = START_MS + 2 * DAY_MS
    const expiresAt = new Date(expiresAtMs).toISOString()
    const { headers } = await keyOf({ name: 'grace', role: 'viewer', expiresAt })
    await world.clock.advance(2 * DAY_MS - 1)
    expect((await whoami(headers)).json).toEqual({ name: 'grace', role: 'viewer', expiresAtMs })
    await world.clock.advance(1)
    const ended = await whoami(headers)
    expect(ended.status).toBe(401)
    expect(ended.json['detail']).toContain('the admin key grace has expired')
    expect(await listed()).toHaveLength(1)
  })

  test.each([
    ['is over', '2001-01-01'],
    ['begins now', new Date(START_MS).toISOString()],
    ['no calendar has', '2099-02-30'],
  ])('is not made with an end that %s', async (_what, expiresAt) => {
    const { json, status } = await make({ name: 'grace', role: 'viewer', expiresAt })
    expect([status, json['code']]).toEqual([422, 'invalid_arguments'])
    expect(json['detail']).toContain('/expiresAt')
    expect(await listed()).toEqual([])
  })

  test('is not made under a name that another has', async () => {
    await make({ name: 'grace', role: 'operator' })
    const again = await make({ name: 'grace', role: 'viewer' })
    expect([again.status, again.json['code']]).toEqual([409, 'conflict'])
  })

  test.each(['', 'Grace', 'a:b', 'break-glass:admin-key', '-a', 'a'.repeat(65), 'a b'])(
    'is not made under the name %j',
    async (name) => {
      expect((await make({ name, role: 'viewer' })).status).toBe(422)
    },
  )

  test('may have a name of 64 characters', async () => {
    expect((await make({ name: 'a'.repeat(64), role: 'viewer' })).status).toBe(201)
  })

  test('is one of 100 at most', async () => {
    for (let n = 1; n < ADMIN_KEYS_MAX; n += 1) await make({ name: `k${n}`, role: 'viewer' })
    expect((await make({ name: 'the-100th', role: 'viewer' })).status).toBe(201)
    const past = await make({ name: 'the-101st', role: 'viewer' })
    expect([past.status, past.json['code']]).toEqual([409, 'conflict'])
    expect(await listed()).toHaveLength(100)
  })

  test('notes the day of its use with one write a day', async () => {
    const { headers, keyId } = await keyOf({ name: 'grace', role: 'viewer' })
    const { adminKeys } = world.ports
    const days: string[] = []
    world.ports.adminKeys = {
      ...adminKeys,
      noteUse: (use) => {
        days.push(use.day)
        return adminKeys.noteUse(use)
      },
    }
    for (let n = 0; n < 3; n += 1) await whoami(headers)
    await world.clock.advance(DAY_MS)
    await whoami(headers)
    expect(days).toEqual(['2033-05-18', '2033-05-19'])
    const { json } = await askAdmin(world, 'GET', '/keys')
    expect(json['keys']).toMatchObject([{ keyId, lastUsedAtMs: Date.UTC(2033, 4, 19) }])
  })
})

describe('a store that does not answer', () => {
  test('a named key is neither let in nor called wrong while the store does not answer', async () => {
    const { headers } = await keyOf({ name: 'grace', role: 'viewer' })
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.adminKeys = { ...world.ports.adminKeys, find: down }
    const { headers: sent, json, status } = await whoami(headers)
    expect([status, json['code'], sent['retry-after']]).toEqual([503, 'store_unavailable', '1'])
  })
})

describe('the two secrets of the operator', () => {
  test.each([
    ['the internal secret', INTERNAL, 'break-glass:internal-secret'],
    ['the admin key', ADMIN_KEY, 'break-glass:admin-key'],
  ])('the secret %s is an owner without an end', async (_what, headers, name) => {
    expect((await whoami(headers)).json).toEqual({ name, role: 'owner' })
  })

  test('the two secrets let an owner in after the last named owner was revoked', async () => {
    const { headers, keyId } = await keyOf({ name: 'grace', role: 'owner' })
    expect((await askAdmin(world, 'DELETE', `/keys/${keyId}`, { headers })).status).toBe(204)
    expect((await whoami(headers)).status).toBe(401)
    expect((await make({ name: 'grace', role: 'owner' })).status).toBe(201)
  })

  test('the two secrets open the same routes as before, also when they look like a named key', async () => {
    const adminKey = `sga_${'A'.repeat(43)}`
    world.ports.adminSecrets = makeFixedAdminSecrets({
      internalApiSecrets: ['internal-secret'],
      adminKeys: [adminKey],
    })
    expect((await whoami({ 'x-admin-key': adminKey })).json).toMatchObject({ role: 'owner' })
    const refresh = await askAdmin(world, 'POST', '/refresh-tools', {
      headers: { 'x-admin-key': adminKey },
    })
    expect(refresh.status).toBe(401)
  })

  test('two secrets of the same value each have the rights of their header', async () => {
    world.ports.adminSecrets = makeFixedAdminSecrets({
      internalApiSecrets: ['same-for-both'],
      adminKeys: ['same-for-both'],
    })
    expect((await whoami({ 'x-admin-key': 'same-for-both' })).json).toMatchObject({
      name: 'break-glass:admin-key',
    })
    expect((await whoami({ authorization: 'Bearer same-for-both' })).json).toMatchObject({
      name: 'break-glass:internal-secret',
    })
  })
})
