/** What a token without the scope to call tools may do, at every place where a call can begin. */
import { beforeEach, describe, expect, test } from 'vitest'
import { toIdentitySealingKey } from '../../../core/access/identity.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { textOf } from '../../core/flow/client.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, type MemoryResponse } from '../door-client.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from '../mcp/agent.ts'
import { clientOf, TASKS } from '../mcp/task-calls.ts'
import {
  acceptTokens,
  BOTH,
  ISSUER_SETTINGS,
  type IssuedTokens,
  linkIdentity,
  openTokenStream,
} from './issued-tokens.ts'

const SUNNY = { name: 'sg_sunny', arguments: {} }
const CHALLENGE =
  'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call", error="insufficient_scope"'
const MISSING =
  'Authorization: your access token has no scope tools:call. Log in again and allow it.'

let world: World
let tokens: IssuedTokens
let reader: string
let identity: string

async function start(renamesChallenge: boolean): Promise<void> {
  world = makeWorld({ ...ISSUER_SETTINGS, renamesChallenge })
  tokens = acceptTokens(world)
  await world.user('ada')
  identity = await linkIdentity(world, 'ada', 's-1')
  await world.skill('sg_sunny', { price: 2 })
  await world.skill('sg_render', { price: 2, config: { task: { max_sec: 600 } } })
  reader = tokens.issue('s-1', ['tools:read'])
}

beforeEach(() => start(false))

const spent = async () => {
  await world.clock.settle()
  return [world.upstream.requests.length, await world.credits('ada')]
}
const NOTHING = [0, { free: 100, held: 0 }]

describe('a token with tools:read alone', () => {
  test.each(['sg_account', 'sg_search_skills', 'sg_usage'])(
    'may call %s, which reads',
    async (name) => {
      const args = name === 'sg_search_skills' ? { query: 'sunny' } : {}
      const out = await post(
        doorOf(world),
        withKey(reader, modern('tools/call', { name, arguments: args })),
      )
      expect(out.json()).toMatchObject({ result: { isError: false } })
    },
  )

  test('may list tools, connect and listen', async () => {
    expect((await post(doorOf(world), withKey(reader, legacy('tools/list')))).status).toBe(200)
    expect((await post(doorOf(world), withKey(reader, modern('server/discover')))).status).toBe(200)
  })

  test('may read a task of its user, and neither update nor cancel it', async () => {
    const { taskId } = await clientOf(world, tokens.issue('s-1')).started(600_000)
    const client = clientOf(world, reader)
    expect(await client.get(taskId)).toMatchObject({ status: 'working' })
    const meta = { 'io.modelcontextprotocol/clientCapabilities': TASKS }
    for (const method of ['tasks/update', 'tasks/cancel']) {
      const sent = modern(
        method,
        { taskId, inputResponses: {} },
        { meta, headers: { 'mcp-name': taskId } },
      )
      expectChallenge(await post(doorOf(world), withKey(reader, sent)))
    }
    expect(await client.get(taskId)).toMatchObject({ status: 'working' })
  })
})

function expectChallenge(out: MemoryResponse): void {
  expect([out.status, out.headers['www-authenticate']]).toEqual([403, CHALLENGE])
  expect(out.json()).toMatchObject({ code: 'insufficient_scope', wwwAuthenticate: CHALLENGE })
}

const CALLS: readonly [string, JsonObject][] = [
  ['a skill', SUNNY],
  ['a skill by its name', { name: 'sg_call', arguments: { name: 'sg_sunny', arguments: {} } }],
  ['a skill that does not exist', { name: 'sg_nothing', arguments: {} }],
  ['the tool that cancels tasks', { name: 'sg_cancel_task', arguments: { task_id: 'task_x' } }],
  ['the tool that issues keys', { name: 'sg_issue_key', arguments: {} }],
]

describe.each([
  ['in its own process', doorOf],
  ['by the function execute', doorByEvent],
])('a call that is made %s with tools:read alone', (_where, openDoor) => {
  // Holds: AUTH-5
  test.each(CALLS)('of %s is refused with all scopes, and costs nothing', async (_what, params) => {
    for (const sent of [legacy('tools/call', params), modern('tools/call', params)]) {
      expectChallenge(await post(openDoor(world), withKey(reader, sent)))
    }
    expect(await spent()).toEqual(NOTHING)
  })

  test('is told in words where the header is renamed', async () => {
    await start(true)
    for (const sent of [legacy('tools/call', SUNNY), modern('tools/call', SUNNY)]) {
      const out = await post(openDoor(world), withKey(reader, sent))
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({ result: { isError: true } })
      expect(textOf(out.json())).toBe(
        `${MISSING} Calling again before that does not help; tell the user to log in again in this client. No credits were charged.`,
      )
    }
    expect(await spent()).toEqual(NOTHING)
  })

  test('that wants a task is refused, and makes none', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': TASKS }
    const params = { name: 'sg_render', arguments: {} }
    expectChallenge(
      await post(openDoor(world), withKey(reader, modern('tools/call', params, { meta }))),
    )
    expect(await spent()).toEqual(NOTHING)
  })
})

describe('a batch', () => {
  const batchOf = (...items: readonly JsonObject[]) => ({ body: [...items] })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: SUNNY }
  const response = { jsonrpc: '2.0', id: 'q-1', result: { action: 'accept' } }

  test.each([
    ['a call', call],
    ['an answer to a question of a call', response],
  ])('with %s is refused as a whole without tools:call', async (_what, item) => {
    expectChallenge(await post(doorOf(world), withKey(reader, batchOf(list, item))))
    expect(await spent()).toEqual(NOTHING)
  })

  test('of lists is served without tools:call', async () => {
    const out = await post(doorOf(world), withKey(reader, batchOf(list, { ...list, id: 2 })))
    expect([out.status, JSON.parse(out.text)]).toMatchObject([200, [{ id: 1 }, { id: 2 }]])
  })
})

describe('an answer to a question of a call', () => {
  test('needs tools:call, because it lets the call go on', async () => {
    const body = { jsonrpc: '2.0', id: 'q-1', result: { action: 'accept' } }
    expectChallenge(await post(doorOf(world), withKey(reader, { body })))
    expect((await post(doorOf(world), withKey(tokens.issue('s-1'), { body }))).status).toBe(202)
  })
})

describe('POST /v1/execute with tools:read alone', () => {
  test.each([true, false])('is 403 with the challenge, renamed or not: %s', async (renames) => {
    await start(renames)
    const door = createExecuteDoor(world.ports, world.settings)
    for (const skill of ['sg_sunny', 'sg_issue_key']) {
      const out = await ask(door, 'POST', '/v1/execute', {
        headers: { authorization: reader },
        body: { skill, arguments: {} },
      })
      expect(out.status).toBe(403)
      expect(out.json()).toMatchObject({ code: 'insufficient_scope', detail: MISSING })
      expect(out.headers['www-authenticate']).toBe(
        CHALLENGE.replace('resource/mcp', 'resource/v1/execute'),
      )
    }
    expect(await spent()).toEqual(NOTHING)
  })
})

describe('a call between functions', () => {
  const send = async (change: object) => {
    const { digests, logins } = world.ports
    const sealingKey = toIdentitySealingKey(digests, await logins.secret(), identity)
    const credential = { kind: 'key', id: identity, sealingKey, form: 'identity', ...change }
    const text = Buffer.from(JSON.stringify(credential)).toString('base64url')
    return ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
      headers: { 'x-skillgate-credential': text },
      body: { skill: 'sg_sunny' },
      iam: true,
    })
  }

  test.each([{}, { mayCall: false }, { mayCall: 'true' }, { mayCall: 1 }])(
    'of an identity is refused with %j, which does not say that it may call',
    async (change) => {
      const out = await send(change)
      expect([out.status, out.json()['code']]).toEqual([403, 'insufficient_scope'])
      expect(await spent()).toEqual(NOTHING)
    },
  )

  test('of an identity is made if its token may call', async () => {
    expect((await send({ mayCall: true })).status).toBe(200)
  })
})

describe('a session of HTTP+SSE', () => {
  test('that was opened with tools:read alone lists and does not call', async () => {
    const stream = await openTokenStream(world, reader)
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    await stream.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: SUNNY })
    await world.clock.advance(1_000)
    expect(JSON.stringify(stream.withId(1))).toContain('sg_sunny')
    expect(stream.withId(2)).toMatchObject([{ result: { isError: true } }])
    expect(JSON.stringify(stream.withId(2))).toContain(MISSING)
    expect(await spent()).toEqual(NOTHING)
    stream.close()
    await world.clock.settle()
  })
})

describe('a scope', () => {
  // Holds: AUTH-6
  test('to call lets a token list, too', async () => {
    const caller = tokens.issue('s-1', ['tools:call'])
    expect((await post(doorOf(world), withKey(caller, modern('tools/list')))).status).toBe(200)
  })

  test.each<[string, readonly string[], boolean]>([
    ['tools:call, which includes tools:read', ['tools:call'], true],
    ['both', BOTH, true],
    ['with the prefix of Entra', ['api://0f9a/tools:call'], true],
    ['with the prefix of Cognito', ['gateway/tools:call'], true],
    ['with another end', ['tools:call/x', 'tools:read'], false],
    ['that only begins like it', ['tools:caller', 'tools:read'], false],
    ['in other letters', ['Tools:Call', 'tools:read'], false],
    ['of all tools', ['tools:*', 'tools:read'], false],
  ])('%s lets a token call: %s', async (_what, scopes, mayCall) => {
    const out = await post(
      doorByEvent(world),
      withKey(tokens.issue('s-1', scopes), legacy('tools/call', SUNNY)),
    )
    expect(out.status).toBe(mayCall ? 200 : 403)
  })

  test('of a session is that of the token that opened it', async () => {
    const stream = await openTokenStream(world, tokens.issue('s-1'))
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: SUNNY })
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: false } }])
    stream.close()
    await world.clock.settle()
  })
})
