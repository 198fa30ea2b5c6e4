/** POST users/{uid}/identities: what links, what invites, and how keys list and end identities. */
import { beforeEach, describe, expect, test } from 'vitest'
import { isOpenInvite, toInviteId } from '../../../core/access/identity-invite.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { ADA_ID, ISSUER } from '../../core/flow/users/first-login.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const OFF = { ...ISSUER, issuer: 'https://off.example.com', provision: 'off' as const }
let world: World

beforeEach(async () => {
  world = makeWorld({ ...SETTINGS, issuers: [ISSUER, OFF] })
  await world.user('ada')
  await world.user('bob')
})

const add = (uid: string, body: JsonObject) =>
  askAdmin(world, 'POST', `/users/${uid}/identities`, { body })
const SUBJECT = { issuer: 'https://login.example.com/t1', subject: 'ada' }

describe('a link', () => {
  test.each([
    ['by issuer and subject', SUBJECT],
    ['by the id', { identity: ADA_ID }],
  ])('%s is answered twice alike, and belongs to one user', async (_, body) => {
    expect(await add('ada', body)).toMatchObject({ status: 200, json: { keyId: ADA_ID } })
    expect(await add('ada', body)).toMatchObject({ status: 200, json: { keyId: ADA_ID } })
    expect(await add('bob', body)).toMatchObject({ status: 409, json: { code: 'conflict' } })
  })

  test('is listed without an end, limited and ended as a key', async () => {
    world.clock.jump(1)
    await add('ada', SUBJECT)
    const path = `/users/ada/keys/${ADA_ID}`
    const limits = { tools: ['sg_*'], monthlyBudget: 5, callsPerDay: 3 }
    expect((await askAdmin(world, 'PATCH', path, { body: limits })).status).toBe(200)
    const { json } = await askAdmin(world, 'GET', '/users/ada/keys', { query: 'limit=1' })
    expect(json).toMatchObject({ keys: [{ keyId: ADA_ID, keyPrefix: 'login.example.com' }] })
    const [key] = (json as { keys: object[] }).keys
    expect(key).toMatchObject({ identity: SUBJECT, tools: ['sg_*'], callsPerDay: { limit: 3 } })
    expect(key).not.toHaveProperty('expiresAtMs')
    expect(key).not.toHaveProperty('lastUsedAtMs')
    const query = `limit=1&cursor=${(json as { nextCursor: string }).nextCursor}`
    expect((await askAdmin(world, 'GET', '/users/ada/keys', { query })).status).toBe(200)
    expect((await askAdmin(world, 'DELETE', path)).status).toBe(204)
    expect(await add('bob', SUBJECT)).toMatchObject({ status: 200 })
  })
})

test.each([
  ['an unknown issuer', { ...SUBJECT, issuer: 'https://evil.example' }, '/issuer'],
  ['an issuer with a slash more', { ...SUBJECT, issuer: `${SUBJECT.issuer}/` }, '/issuer'],
  ['a subject of 256 characters', { ...SUBJECT, subject: 'x'.repeat(256) }, '/subject'],
  ['a subject with a line feed', { ...SUBJECT, subject: 'a\nb' }, '/subject'],
  ['an id of a key', { identity: 'n'.repeat(43) }, '/identity'],
  ['no address', { issuer: SUBJECT.issuer, email: 'ada@good.com\n' }, '/email'],
  ['an invitation that nobody can use', { issuer: OFF.issuer, email: 'a@b.com' }, '/issuer'],
])('a request with %s is refused, and names the field', async (_, body, pointer) => {
  const { json, status } = await add('ada', body)
  expect([400, 422]).toContain(status)
  expect(json).toMatchObject({ errors: [{ pointer: expect.stringContaining(pointer) }] })
})

test.each([
  ['nothing', {}],
  ['a subject alone', { subject: 'ada' }],
  ['all forms', { ...SUBJECT, email: 'a@b.com' }],
])('a request that names %s is refused', async (_, body) => {
  expect((await add('ada', body)).status).toBeGreaterThanOrEqual(400)
})

test('an invitation is withdrawn once, for its user alone, and then lets nobody in', async () => {
  const body = { issuer: ISSUER.issuer, email: 'ada@example.com' }
  const back = { ...body, email: 'Ada@Example.com', withdraw: true }
  expect(await add('ada', back)).toMatchObject({ status: 404 })
  await add('ada', body)
  expect(await add('bob', back)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(await add('ada', back)).toMatchObject({
    status: 200,
    json: { expiresAtMs: world.clock.nowMs() },
  })
  expect(await add('ada', back)).toMatchObject({ status: 404 })
  const id = toInviteId(world.ports.digests, body)
  const stored = await world.ports.identityInvites.find(id)
  expect(stored && isOpenInvite(stored, world.clock.nowMs())).toBe(false)
  expect(await add('ada', body)).toMatchObject({ status: 200 })
})

test.each([false, 'true', 1])('withdraw as %j is refused by its field', async (withdraw) => {
  const { json, status } = await add('ada', { issuer: ISSUER.issuer, email: 'a@b.com', withdraw })
  expect([400, 422]).toContain(status)
  expect(json['detail']).toContain('withdraw')
})

test('an invitation is answered with its end in 30 days, and an unknown user gets none', async () => {
  const body = { issuer: ISSUER.issuer, email: 'ada@example.com' }
  const { json, status } = await add('ada', body)
  expect([status, json]).toEqual([200, { expiresAtMs: 2_002_592_000_000 }])
  expect(await add('nobody', body)).toMatchObject({ status: 404 })
})
