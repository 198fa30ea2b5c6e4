/** Test calls over the admin API: who may send them, how many, and what they tell. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_ROLES, type AdminRole } from '../../../core/access/admin-role.ts'
import { TEST_SENDS_PER_MINUTE_MAX } from '../../../core/flow/dry-run/allow-send.ts'
import { RESULT_SHOWN_UNITS_MAX } from '../../../core/flow/dry-run/send-test.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { BEARER, setFor, setShared } from '../../core/flow/execute/calls-with-secrets.ts'
import { makeWorld, skillJson, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const SECRET = 'a-secret-of-ada-0123456789'

let world: World
const keys = new Map<AdminRole, string>()

beforeEach(async () => {
  world = makeWorld()
  for (const role of ADMIN_ROLES) {
    const { json } = await askAdmin(world, 'POST', '/keys', { body: { name: `the-${role}`, role } })
    keys.set(role, String(json['key']))
  }
  await world.user('ada')
  await world.skill('sg_weather', { config: BEARER, price: 2 })
  await world.skill('sg_mine', { source: 'private', uid: 'ada' })
  await setFor(world, 'ada', { API_KEY: SECRET })
  await setShared(world, 'shared-for-one', { skill: 'sg_weather' })
})

async function ask(role: AdminRole, path: string, query: string, body: Json) {
  const headers = { 'x-admin-key': keys.get(role) ?? '' }
  return askAdmin(world, 'POST', path, { headers, query, body })
}

const send = (role: AdminRole, body: Json = { uid: 'ada' }, query = 'send=true') =>
  ask(role, '/skills/official/sg_weather/dry-run', query, body)

function sentIn({ json }: { json: JsonObject }): JsonObject {
  const { sent } = json
  if (!isJsonObject(sent)) throw new Error(`nothing was sent: ${JSON.stringify(json)}`)
  return sent
}

describe('roles for test calls', () => {
  const NEW = skillJson('sg_new', {})
  const WAYS: { readonly [way: string]: readonly [string, string, Json, readonly AdminRole[]] } = {
    'a stored skill as nobody': [
      '/skills/official/sg_weather/dry-run',
      'send=true',
      {},
      ['owner', 'operator', 'publisher'],
    ],
    'a stored skill as a user': [
      '/skills/official/sg_weather/dry-run',
      'send=true',
      { uid: 'ada' },
      ['owner', 'operator'],
    ],
    'a private skill as its owner': [
      '/skills/private/sg_mine/dry-run',
      'send=true&uid=ada',
      {},
      ['owner', 'operator'],
    ],
    'a sent skill as nobody': [
      '/skills:dry-run',
      'send=true',
      { skill: NEW },
      ['owner', 'publisher'],
    ],
    'a sent skill as a user': [
      '/skills:dry-run',
      'send=true',
      { skill: NEW, uid: 'ada' },
      ['owner'],
    ],
  }
  const rows = Object.entries(WAYS).flatMap(([way, terms]) =>
    ADMIN_ROLES.map((role) => [role, way, terms] as const),
  )
  test.each(rows)('the role %s is let in, or told the role, for %s', async (role, _way, terms) => {
    const [path, query, body, allowed] = terms
    const answered = await ask(role, path, query, body)
    expect(answered.status).toBe(allowed.includes(role) ? 200 : 403)
    expect(world.upstream.requests).toHaveLength(allowed.includes(role) ? 1 : 0)
    expect((await ask(role, path, query.replace('true', 'false'), body)).status).toBe(200)
    expect(world.upstream.requests).toHaveLength(allowed.includes(role) ? 1 : 0)
  })
})

describe('a test call', () => {
  test('runs as a call does, is free, and leaves a record in the audit trail alone', async () => {
    const before = [
      await world.profile('ada'),
      await world.ports.ledger.list({ uid: 'ada', limit: 9 }),
    ]
    const answered = await send('operator')
    expect(sentIn(answered)).toMatchObject({
      sends: [{ method: 'GET', host: 'api.example', status: 200 }],
      answer: { status: 200, mediaType: 'application/json', start: '{"sunny":true}' },
      judgement: { statusIs: 'success', by: '2xx', failIf: [] },
      result: { structuredContent: { sunny: true } },
    })
    expect(world.upstream.requests[0]?.headers['authorization']).toBe(`Bearer ${SECRET}`)
    const after = [
      await world.profile('ada'),
      await world.ports.ledger.list({ uid: 'ada', limit: 9 }),
    ]
    expect(after).toEqual(before)
    const { json } = await askAdmin(world, 'GET', '/audit')
    const [change] = Array.isArray(json['changes']) ? json['changes'] : []
    expect(change).toMatchObject({
      operation: 'dryRunSkill',
      status: 200,
      target: { skillId: 'sg_weather', uid: 'ada' },
    })
    expect(JSON.stringify(json)).not.toContain(SECRET)
  })

  test('masks what the upstream echoes', async () => {
    world.upstream.next({ kind: 'echo' })
    const answered = await send('operator')
    expect(answered.text).not.toContain(SECRET)
    expect(JSON.stringify(sentIn(answered)['result'])).toContain('Bearer [secret API_KEY]')
  })

  test('tells why there is no result, and which conditions decided', async () => {
    const config = {
      ...BEARER,
      response: { fail_if: [{ pointer: '/ok', equals: false }, { contains: 'never' }] },
    }
    await world.skill('sg_weather', { config })
    world.upstream.next({ kind: 'answer', body: '{"ok":false}' })
    expect(sentIn(await send('operator'))).toMatchObject({
      judgement: {
        statusIs: 'success',
        failIf: [
          { condition: '/ok is false', holds: true },
          { condition: 'it contains "never"', holds: false },
        ],
      },
      failure: { code: 'upstream_failed', upstreamFault: 'reported' },
    })
    world.upstream.next({ kind: 'answer', status: 404, body: '{}' })
    expect(sentIn(await send('operator'))).toMatchObject({
      judgement: { statusIs: 'failure', by: 'no rule' },
      failure: { code: 'upstream_failed' },
    })
  })

  test('is cut as a call is, and shows nothing of an answer', async () => {
    world.upstream.next({ kind: 'hang' })
    const answering = send('operator')
    await world.clock.settle()
    await world.clock.advance(15_000)
    const sent = sentIn(await answering)
    expect(sent).toMatchObject({ failure: { code: 'timed_out' } })
    expect(sent).not.toHaveProperty('answer')
  })

  test('with faulty arguments or without a secret sends nothing', async () => {
    const parameters = { type: 'object', properties: {}, required: ['city'] }
    await world.skill('sg_strict', { parameters })
    const strict = await ask('operator', '/skills/official/sg_strict/dry-run', 'send=true', {})
    expect(strict.json).toMatchObject({ problems: [{ code: 'invalid_arguments' }] })
    expect(strict.json).not.toHaveProperty('sent')
    await world.skill('sg_lacks', { config: { auth: { type: 'bearer', secret: 'NO_KEY' } } })
    const lacks = await ask('operator', '/skills/official/sg_lacks/dry-run', 'send=true', {})
    expect(sentIn(lacks)).toMatchObject({ sends: [], failure: { code: 'secret_missing' } })
    expect(world.upstream.requests).toEqual([])
  })

  test('shows a result of the largest length, and the length of one past it', async () => {
    const around = JSON.stringify({ content: [{ type: 'text', text: '' }] }).length
    const sized = async (units: number) => {
      world.upstream.next({ kind: 'answer', mediaType: 'text/plain', body: 'x'.repeat(units) })
      return sentIn(await send('operator'))
    }
    await world.skill('sg_weather', { config: { response: { max_bytes: 2_000_000 } } })
    const whole = await sized(RESULT_SHOWN_UNITS_MAX - around)
    expect([whole['resultUnits'], isJsonObject(whole['result'])]).toEqual([undefined, true])
    const long = await sized(RESULT_SHOWN_UNITS_MAX - around + 1)
    expect([long['resultUnits'], long['result']]).toEqual([RESULT_SHOWN_UNITS_MAX + 1, undefined])
  })

  test('test calls are limited by the minute and by the admin key', async () => {
    const statuses = []
    for (let call = 0; call < TEST_SENDS_PER_MINUTE_MAX + 1; call += 1) {
      statuses.push((await send('operator')).status)
    }
    const within = Array.from({ length: TEST_SENDS_PER_MINUTE_MAX }, () => 200)
    expect(statuses).toEqual([...within, 429])
    expect(world.upstream.requests).toHaveLength(TEST_SENDS_PER_MINUTE_MAX)
    expect((await send('owner')).status).toBe(200)
    expect((await send('operator', { uid: 'ada' }, 'send=false')).status).toBe(200)
    await world.clock.advance(60_000)
    expect((await send('operator')).status).toBe(200)
  })
})
