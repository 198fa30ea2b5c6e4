/** Sub-keys at every door: issued over MCP, SSE and REST, used, and managed over the admin API. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { issueKey } from '../../core/flow/users/manage-keys.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { callsHere } from '../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { call, openStream, textOf } from '../core/flow/client.ts'
import { makeWorld, okOf, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { ask } from './door-client.ts'
import { doorOf, legacy, post, withKey } from './mcp/agent.ts'

let world: World
let parent: string
let parentId: string

beforeEach(async () => {
  world = makeWorld()
  await world.user('ada')
  await world.skill('sg_weather', { price: 1 })
  await world.skill('sg_stocks', { price: 1 })
  const issued = okOf(await issueKey(world.ports, 'ada', { mayIssueKeys: true }))
  parent = `Bearer ${issued.key}`
  parentId = issued.keyId
})

const ARGS: JsonObject = { tools: ['sg_weather'], callsPerDay: 2 }

function execute(authorization: string, skill: string, args: JsonObject = {}) {
  const door = createExecuteDoor(world.ports, world.settings)
  const body = { skill, arguments: args }
  return ask(door, 'POST', '/v1/execute', { headers: { authorization }, body })
}

function mcp(authorization: string, name: string, args: JsonObject = {}) {
  const params = { name, arguments: args }
  return post(doorOf(world), withKey(authorization, legacy('tools/call', params)))
}

function keyIn(text: string): string {
  const { key }: { key: string } = JSON.parse(text)
  return `Bearer ${key}`
}

/** How each door issues a sub-key. */
const DOORS: readonly [door: string, issue: () => Promise<string>][] = [
  [
    'POST /v1/execute',
    async () =>
      keyIn(
        JSON.stringify((await execute(parent, 'sg_issue_key', ARGS)).json()['structuredContent']),
      ),
  ],
  [
    'POST /mcp',
    async () => {
      const { result }: { result: { content: { text: string }[] } } = JSON.parse(
        (await mcp(parent, 'sg_issue_key', ARGS)).text,
      )
      return keyIn(result.content[0]?.text ?? '')
    },
  ],
  [
    'HTTP+SSE',
    async () => {
      // The function messages sends the call to execute, which answers built-in tools too.
      const { caches, ports, settings } = world
      world.ports.execute = callsHere({ ports, settings, caches, lists: makeToolListCache() })
      const stream = await openStream(world, parent)
      await stream.post(call(1, 'sg_issue_key', ARGS))
      await world.clock.advance(250)
      return keyIn(textOf(stream.withId(1)[0]))
    },
  ],
]

describe.each(DOORS)('a sub-key that %s issues', (_door, issue) => {
  test('calls what both scopes allow, at every door, and no more than its day allows', async () => {
    const sub = await issue()
    expect(sub).toMatch(/^Bearer sgs_[\w-]{43}$/)
    expect((await execute(sub, 'sg_weather')).status).toBe(200)
    expect((await execute(sub, 'sg_stocks')).json()['code']).toBe('key_scope')
    expect((await mcp(sub, 'sg_weather')).text).not.toContain('"isError":true')
    const refused = await execute(sub, 'sg_weather')
    expect([refused.status, refused.json()['code']]).toEqual([429, 'daily_calls_reached'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await mcp(sub, 'sg_weather')).text).toContain(
      'callsPerDay: this API key may make 2 calls',
    )
  })

  test('is shown with its parent, changed and revoked over the admin API', async () => {
    const sub = await issue()
    const { text } = await askAdmin(world, 'GET', '/users/ada/keys')
    const { keys }: { keys: { [name: string]: Json }[] } = JSON.parse(text)
    const shown = keys.find(({ parentKeyId }) => parentKeyId === parentId)
    expect(shown).toMatchObject({ tools: ['sg_weather'], callsPerDay: { limit: 2, made: 0 } })
    const path = `/users/ada/keys/${String(shown?.['keyId'])}`
    expect((await askAdmin(world, 'PATCH', path, { body: { callsPerDay: 5 } })).status).toBe(200)
    expect((await askAdmin(world, 'DELETE', path)).status).toBe(204)
    expect((await execute(sub, 'sg_weather')).status).toBe(401)
  })
})
