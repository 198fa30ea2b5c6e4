/** The routes of shared secrets, as an administrator meets them. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  KEEP_PREVIOUS_SEC_MAX,
  SECRET_CACHE_MS,
  SHARED_SECRETS_MAX,
} from '../../../core/secrets/limits.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { askAdmin } from './admin-client.ts'

const VALUE = 'shared-canary-value'
let world: World

beforeEach(async () => {
  world = makeWorld()
  await world.skill('sg_weather')
  await world.skill('sg_fx', { source: 'market' })
})

const put = (name: string, body: object, query = '') =>
  askAdmin(world, 'PUT', `/secrets/${name}`, { body: { ...body }, query })

describe('PUT /secrets/{name}', () => {
  test('binds a secret of a skill to its origins and those that are named, and shows no value', async () => {
    const body = { value: VALUE, origins: ['https://b.example'] }
    const { json, status, text } = await put('API_KEY', body, 'skill=weather')
    expect([status, json]).toEqual([
      200,
      {
        name: 'API_KEY',
        skillId: 'sg_weather',
        origins: ['https://api.example', 'https://b.example'],
        setBy: 'break-glass:internal-secret',
        updatedAtMs: world.clock.nowMs(),
        ageDays: 0,
      },
    ])
    expect(text).not.toContain(VALUE)
  })

  test('needs origins for a secret of all official skills', async () => {
    expect(await put('API_KEY', { value: VALUE })).toMatchObject({
      status: 422,
      json: {
        errors: [
          {
            pointer: '/origins',
            message:
              'must name where a secret for all official skills may be sent, or name the skill',
          },
        ],
      },
    })
    const named = { value: VALUE, origins: ['https://api.example'] }
    expect((await put('API_KEY', named)).json).not.toHaveProperty('skillId')
  })

  test.each(['sg_fx', 'sg_nothing'])('refuses the unofficial %s', async (id) => {
    const { json, status } = await put('API_KEY', { value: VALUE }, `skill=${id}`)
    expect([status, json['code']]).toEqual([404, 'not_found'])
  })

  test('keeps a previous value for a day at most', async () => {
    const keep = (keepPreviousSec: unknown) =>
      put('API_KEY', { value: VALUE, keepPreviousSec }, 'skill=sg_weather')
    expect(KEEP_PREVIOUS_SEC_MAX).toBe(86_400)
    expect((await keep(86_400)).status).toBe(200)
    for (const sent of [86_401, -1, 0.5, '60']) {
      expect(await keep(sent)).toMatchObject({
        status: 422,
        json: { errors: [{ pointer: '/keepPreviousSec' }] },
      })
    }
  })

  test('refuses the 25th name of a skill', async () => {
    expect([SHARED_SECRETS_MAX, SECRET_CACHE_MS]).toEqual([24, 30_000])
    for (let n = 0; n < 24; n += 1) {
      expect((await put(`N${n}`, { value: VALUE }, 'skill=sg_weather')).status).toBe(200)
    }
    expect(await put('N24', { value: VALUE }, 'skill=sg_weather')).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    })
    expect((await put('N23', { value: VALUE }, 'skill=sg_weather')).status).toBe(200)
  })

  test('repeats no part of a value that it refuses', async () => {
    const bad = await put('API_KEY', { value: VALUE.repeat(400), more: VALUE }, 'skill=sg_weather')
    expect(bad.status).toBe(422)
    expect(bad.text).not.toContain(VALUE)
    expect(JSON.stringify([world.log.notes, world.log.calls])).not.toContain(VALUE)
  })
})

describe('GET /secrets', () => {
  test('lists age, origins, who set it and the previous value’s time, in pages', async () => {
    const all = { value: VALUE, origins: ['https://c.example'] }
    await put('B', all)
    await put('A', { value: VALUE }, 'skill=sg_weather')
    world.clock.jump(2 * 86_400_000 + 5)
    await put('B', { ...all, keepPreviousSec: 60 })
    const first = await askAdmin(world, 'GET', '/secrets', { query: 'limit=1' })
    expect(first.json).toMatchObject({
      secrets: [
        {
          name: 'B',
          ageDays: 0,
          setBy: 'break-glass:internal-secret',
          previousUntilMs: world.clock.nowMs() + 60_000,
        },
      ],
    })
    const rest = await askAdmin(world, 'GET', '/secrets', {
      query: `cursor=${first.json['nextCursor']}`,
    })
    expect(rest.json).toMatchObject({
      secrets: [{ name: 'A', skillId: 'sg_weather', ageDays: 2, origins: ['https://api.example'] }],
    })
    expect(rest.json).not.toHaveProperty('nextCursor')
    world.clock.jump(60_000)
    const later = await askAdmin(world, 'GET', '/secrets')
    expect(later.text).not.toContain('previousUntilMs')
    expect(first.text + rest.text + later.text).not.toContain(VALUE)
  })
})

describe('DELETE /secrets/{name}', () => {
  test('deletes the secret of one place, once', async () => {
    await put('A', { value: VALUE }, 'skill=sg_weather')
    const at = { query: 'skill=sg_weather' }
    expect((await askAdmin(world, 'DELETE', '/secrets/A')).status).toBe(404)
    expect((await askAdmin(world, 'DELETE', '/secrets/A', at)).status).toBe(204)
    expect((await askAdmin(world, 'DELETE', '/secrets/A', at)).status).toBe(404)
    expect((await askAdmin(world, 'GET', '/secrets')).json).toEqual({ secrets: [] })
  })
})
