/**
 * A client refreshes its token between two steps of a flow: the second step finds what the first
 * one left. The first token is ended before the second step, as when it expired. Tokens are those
 * of a login of the gateway's own, and those of an issuer.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import { issueKey } from '../../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { Settings } from '../../../core/settings.ts'
import { callsHere } from '../../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { type AgentStream, openStream, textOf, call as toCall } from '../../core/flow/client.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import { askAdmin } from '../admin/admin-client.ts'
import { ask } from '../door-client.ts'
import {
  acceptTokens,
  ISSUER_SETTINGS,
  linkIdentity,
  openTokenStream,
} from '../issuers/issued-tokens.ts'
import { doorByEvent, doorOf, eventsOf, legacy, modern, opened, post, withKey } from './agent.ts'
import { LOGIN_SETTINGS, type LoggedIn, logIn } from './log-in.ts'
import { clientOf, replyIn, TASKS } from './task-calls.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SUNNY = { name: 'sg_sunny', arguments: {} }
const ASKING = { name: 'sg_asks', arguments: {} }
const QUESTION = { message: 'Which city?', requestedSchema: { type: 'object', properties: {} } }
const ASKS = JSON.stringify({
  resultType: 'input_required',
  inputRequests: { city: { method: 'elicitation/create', params: QUESTION } },
  requestState: 'step-1',
})
const DONE = JSON.stringify({ content: [{ type: 'text', text: 'Sunny in Oslo.' }] })
const OSLO = { action: 'accept', content: { city: 'Oslo' } }

let world: World
let door: StreamingHandler
let key: string
let keyId: string
let login: Pick<LoggedIn, 'bearer' | 'refresh'>
let loginId: string
let openEventStream: (world: World, authorization: string) => Promise<AgentStream>

async function startWorld(settings: Settings): Promise<void> {
  world = makeWorld(settings)
  await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  await world.skill('sg_render', { price: 2, config: { task: { max_sec: 600 } } })
  const config = { method: 'POST', response: { as: 'mcp' }, body: { got: '{{input.responses}}' } }
  await world.skill('sg_asks', { price: 2, config })
}

async function startWithLogin(): Promise<void> {
  await startWorld(LOGIN_SETTINGS)
  door = doorOf(world)
  openEventStream = openStream
  const issued = okOf(await issueKey(world.ports, 'ada', { mayIssueKeys: true, callsPerDay: 3 }))
  key = `Bearer ${issued.key}`
  keyId = issued.keyId
  const logged = await logIn(world, door, { uid: 'ada', keyHash: keyId })
  loginId = logged.id
  login = {
    bearer: logged.bearer,
    refresh: async () => {
      await world.ports.keys.changeScope({ uid: 'ada', keyHash: keyId, change: {} })
      return logged.refresh()
    },
  }
}

async function startWithIssuer(): Promise<void> {
  await startWorld(ISSUER_SETTINGS)
  const tokens = acceptTokens(world)
  door = doorOf(world)
  openEventStream = openTokenStream
  keyId = await linkIdentity(world, 'ada', 's-1')
  let current = tokens.issue('s-1')
  login = {
    bearer: () => current,
    refresh: async () => {
      tokens.end(current)
      current = tokens.issue('s-1')
      return current
    },
  }
}

const KINDS: readonly [string, () => Promise<void>][] = [
  ["the gateway's own login", startWithLogin],
  ['an issuer', startWithIssuer],
]

/** The next token; the one before it has ended, and no cache has it. */
async function refreshed(): Promise<string> {
  const before = login.bearer()
  const next = await login.refresh()
  expect((await post(door, withKey(before, modern('tools/list')))).status).toBe(401)
  return next
}

const spent = () => world.credits('ada')

describe.each(KINDS)('a refresh between two steps at %s', (_kind, start) => {
  beforeEach(start)

  test('leaves a running call to be cancelled', async () => {
    world.upstream.always({ kind: 'hang' })
    const sent = legacy('tools/call', SUNNY, { id: 'c-1' })
    const { done, out } = opened(door, withKey(login.bearer(), sent))
    await world.clock.settle()
    const params = { requestId: 'c-1' }
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    expect((await post(door, withKey(await refreshed(), { body }))).status).toBe(202)
    await world.clock.settle()
    await done
    expect([out.status, world.upstream.cuts()]).toEqual([202, 1])
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  test('leaves a question of a call to be answered', async () => {
    for (const body of [ASKS, DONE]) world.upstream.next({ kind: 'answer', body })
    const version = '2025-11-25'
    const sent = legacy('tools/call', ASKING, { id: 5, version })
    const { done, out } = opened(door, withKey(login.bearer(), sent))
    await world.clock.settle()
    const question = eventsOf(out).find(({ method }) => method === 'elicitation/create')
    const answer = {
      headers: { 'mcp-protocol-version': version },
      body: { jsonrpc: '2.0', id: String(question?.['id']), result: OSLO },
    }
    expect((await post(door, withKey(await refreshed(), answer))).status).toBe(202)
    await world.clock.advance(2_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject({ id: 5, result: { isError: false } })
    expect(await spent()).toEqual({ free: 98, held: 0 })
  })

  test.each([
    ['in its own process', doorOf],
    ['by the function execute', doorByEvent],
  ])('leaves the state of a call that was asked %s to open', async (_where, openDoor) => {
    for (const body of [ASKS, DONE]) world.upstream.next({ kind: 'answer', body })
    const at = openDoor(world)
    const meta = { [CAPABILITIES]: { elicitation: {} } }
    const first = await post(at, withKey(login.bearer(), modern('tools/call', ASKING, { meta })))
    const { requestState } = JSON.parse(first.text).result
    const again = { ...ASKING, requestState, inputResponses: { city: OSLO } }
    const second = modern('tools/call', again, { id: 2, meta })
    const out = await post(at, withKey(await refreshed(), second))
    expect(out.json()).toMatchObject({ result: { resultType: 'complete', isError: false } })
    await world.clock.settle()
    expect(await spent()).toEqual({ free: 98, held: 0 })
  })

  test('leaves the answer under an Idempotency-Key to be read', async () => {
    const first = await execute(login.bearer())
    expect(first.status).toBe(200)
    const again = await execute(await refreshed())
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.text).toBe(first.text)
    expect(await spent()).toEqual({ free: 98, held: 0 })
  })

  test('leaves a task to be read and cancelled', async () => {
    const { taskId } = await clientOf(world, login.bearer()).started(60_000)
    const after = clientOf(world, await refreshed())
    expect(await after.get(taskId)).toMatchObject({ taskId, status: 'working' })
    expect((await after.ask('tasks/cancel', taskId)).error).toBeUndefined()
    await world.clock.settle()
    expect(await spent()).toEqual({ free: 100, held: 0 })
  })

  test('leaves a task to be followed on a stream, which outlives its own token', async () => {
    const { taskId } = await clientOf(world, login.bearer()).started(60_000)
    const declared = { meta: { [CAPABILITIES]: TASKS } }
    const listen = modern(
      'subscriptions/listen',
      { notifications: { taskIds: [taskId] } },
      declared,
    )
    const { done, out } = opened(door, withKey(await refreshed(), listen))
    await world.clock.settle()
    expect(eventsOf(out)[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } })
    await refreshed()
    await world.clock.advance(60_000)
    expect(eventsOf(out).at(-1)).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'completed' },
    })
    out.destroy()
    await world.clock.settle()
    await done
  })
})

describe.each(KINDS)('a session of HTTP+SSE that a token of %s opened', (_kind, start) => {
  beforeEach(start)

  test('calls after the token has ended', async () => {
    const stream = await openEventStream(world, login.bearer())
    await refreshed()
    expect(await stream.post(toCall(1, 'sg_sunny'))).toBe('accepted')
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: false } }])
    expect(await spent()).toEqual({ free: 98, held: 0 })
    stream.close()
    await world.clock.settle()
  })

  test.each<[string, () => Promise<unknown>]>([
    ['its key is revoked', () => world.ports.keys.revoke({ uid: 'ada', keyHash: keyId })],
    ['its user is disabled', disable],
  ])('calls no more once %s', async (_why, end) => {
    const stream = await openEventStream(world, login.bearer())
    await end()
    await world.clock.advance(31_000)
    await stream.post(toCall(1, 'sg_sunny'))
    await world.clock.advance(1_000)
    expect(world.upstream.requests).toEqual([])
    expect(await spent()).toEqual({ free: 100, held: 0 })
    stream.close()
    await world.clock.settle()
  })
})

describe('a session of HTTP+SSE that a token of a login opened', () => {
  beforeEach(startWithLogin)

  test('calls no more once its login is ended', async () => {
    const stream = await openStream(world, login.bearer())
    await world.ports.logins.end(loginId)
    await world.clock.advance(31_000)
    await stream.post(toCall(1, 'sg_sunny'))
    await world.clock.advance(1_000)
    expect(world.upstream.requests).toEqual([])
    stream.close()
    await world.clock.settle()
  })

  test('issues no keys', async () => {
    const { caches, ports, settings } = world
    world.ports.execute = callsHere({ ports, settings, caches, lists: makeToolListCache() })
    const stream = await openStream(world, login.bearer())
    await stream.post(toCall(1, 'sg_issue_key'))
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: true } }])
    expect(await world.ports.keys.list('ada')).toHaveLength(2)
    stream.close()
    await world.clock.settle()
  })

  test('shares kept answers with its login, and not with its key', async () => {
    const stream = await openStream(world, login.bearer())
    const params = { ...SUNNY, _meta: { 'skillgate/idempotency-key': 'k-1' } }
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    await world.clock.advance(1_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect((await execute(await refreshed())).headers['idempotency-replayed']).toBe('true')
    expect((await execute(key)).status).toBe(409)
    expect(await spent()).toEqual({ free: 98, held: 0 })
    stream.close()
    await world.clock.settle()
  })
})

describe('a token of a key with limits', () => {
  beforeEach(startWithLogin)

  test('spends the calls per day of its key', async () => {
    expect((await sunny(login.bearer()))['isError']).toBe(false)
    expect((await sunny(await refreshed()))['isError']).toBe(false)
    expect((await sunny(key))['isError']).toBe(false)
    const refused = await sunny(login.bearer())
    expect([refused['isError'], textOf({ result: refused })]).toEqual([
      true,
      expect.stringContaining('calls'),
    ])
    expect(await spent()).toEqual({ free: 94, held: 0 })
  })

  test('issues no keys, which would outlive the login', async () => {
    const names = async (authorization: string) => {
      const out = await post(door, withKey(authorization, modern('tools/list')))
      return JSON.stringify(out.json()).includes('sg_issue_key')
    }
    expect([await names(key), await names(login.bearer())]).toEqual([true, false])
    const params = { name: 'sg_issue_key', arguments: {} }
    const out = await post(door, withKey(login.bearer(), legacy('tools/call', params)))
    expect(out.json()['result']).toMatchObject({ isError: true })
    expect(await world.ports.keys.list('ada')).toHaveLength(2)
  })
})

function execute(authorization: string) {
  const headers = { authorization, 'idempotency-key': 'k-1' }
  const body = { skill: 'sg_sunny', arguments: {} }
  return ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
    headers,
    body,
  })
}

async function sunny(authorization: string): Promise<JsonObject> {
  const out = await post(door, withKey(authorization, legacy('tools/call', SUNNY)))
  await world.clock.settle()
  return replyIn(out).result ?? {}
}

async function disable(): Promise<void> {
  const body = { state: 'disabled', reason: 'left the company' }
  expect((await askAdmin(world, 'PATCH', '/users/ada', { body })).status).toBe(200)
}
