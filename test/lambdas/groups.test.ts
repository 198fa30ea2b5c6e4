/** Groups at every door: /mcp, HTTP+SSE and POST /v1/execute show and run the same skills. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/json.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { openStream, request } from '../core/flow/client.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { ask } from './door-client.ts'
import { doorOf, eventsOf, legacy, modern, opened, post, withKey } from './mcp/agent.ts'

let world: World
let ada: string
let bob: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { groups: ['finance'] })
  bob = await world.user('bob')
  await world.skill('sg_open', { price: 1 })
  await world.skill('sg_books', { price: 1, groups: ['finance'] })
})

type Ask = (key: string, method: string, params?: JsonObject) => Promise<string>

const DOORS: readonly (readonly [string, Ask])[] = [
  ['/mcp of 2026-07-28', (key, method, params) => overMcp(key, modern(method, params))],
  ['/mcp of 2025-06-18', (key, method, params) => overMcp(key, legacy(method, params))],
  ['HTTP+SSE', overSse],
]

async function overMcp(key: string, sent: ReturnType<typeof modern>): Promise<string> {
  const out = await post(doorOf(world), withKey(key, sent))
  await world.clock.settle()
  return out.text
}

async function overSse(key: string, method: string, params: JsonObject = {}): Promise<string> {
  const stream = await openStream(world, key)
  await stream.post(request(1, method, params))
  await world.clock.advance(500)
  return JSON.stringify(stream.withId(1)[0])
}

describe.each(DOORS)('%s', (_name, asked) => {
  test('a list shows a skill with groups to users of them, and shows nobody the groups', async () => {
    const text = await asked(ada, 'tools/list')
    expect(text).toContain('"sg_books"')
    expect(text).not.toContain('finance')
    const other = await asked(bob, 'tools/list')
    expect(other).toContain('"sg_open"')
    expect(other).not.toContain('sg_books')
  })

  test('a call of a hidden skill is answered as that of an unknown one', async () => {
    expect(await asked(ada, 'tools/call', { name: 'sg_books', arguments: {} })).toContain(
      '"isError":false',
    )
    const anonymised = async (name: string) =>
      (await asked(bob, 'tools/call', { name, arguments: {} }))
        .replaceAll(name, '…')
        .replace(/"(io.skillgate\/)?callId":"[^"]*"/g, '')
    const hidden = await anonymised('sg_books')
    expect(hidden).toContain('Unknown tool')
    expect(hidden).toBe(await anonymised('sg_trees'))
  })
})

test('POST /v1/execute answers a hidden skill as an unknown one', async () => {
  const door = createExecuteDoor(world.ports, world.settings)
  const call = async (authorization: string, skill: string) => {
    const sent = { headers: { authorization }, body: { skill, arguments: {} } }
    const out = await ask(door, 'POST', '/v1/execute', sent)
    const { callId: _callId, ...body } = out.json()
    return { status: out.status, text: JSON.stringify(body).replaceAll(skill, '…') }
  }
  expect((await call(ada, 'sg_books')).status).toBe(200)
  const hidden = await call(bob, 'sg_books')
  expect(hidden.status).toBe(404)
  expect(hidden).toEqual(await call(bob, 'sg_trees'))
})

test('progress of a call of a hidden skill has the limit of an unknown one', async () => {
  const limitOf = async (name: string) => {
    const meta = { progressToken: 'p' }
    const sent = modern('tools/call', { name, arguments: {} }, { meta })
    const { done, out } = opened(doorOf(world), withKey(bob, sent))
    await world.clock.settle()
    await done
    return out.text.replaceAll(name, '…').replace(/"(io.skillgate\/)?callId":"[^"]*"/g, '')
  }
  await world.skill('sg_books', { groups: ['finance'], config: { timeout_ms: 3_000 } })
  expect(await limitOf('sg_books')).toBe(await limitOf('sg_trees'))
})

test('a listen stream is told that its user has other groups', async () => {
  await world.clock.advance(120_000)
  const { out } = opened(
    doorOf(world),
    withKey(bob, modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
  )
  await world.clock.advance(5_000)
  const body = { groups: ['finance'] }
  expect((await askAdmin(world, 'PATCH', '/users/bob', { body })).json).toMatchObject(body)
  await world.clock.advance(2_000)
  expect(eventsOf(out).map(({ method }) => method)).toContain('notifications/tools/list_changed')
  out.destroy()
  await world.clock.settle()
})

test('an administrator sees the groups of users and skills', async () => {
  expect((await askAdmin(world, 'GET', '/users/ada')).json).toMatchObject({ groups: ['finance'] })
  const shown = await askAdmin(world, 'GET', '/skills/official/sg_books')
  expect(JSON.stringify(shown.json)).toContain('"groups":["finance"]')
})
