/** Every answer to a tools/call names its call, in each revision and on both transports. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { call, openStream, request } from '../../core/flow/client.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, modern, opened, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_sunny')
})

const CALL_ID = /^[A-Za-z0-9_-]{16,64}$/
const sunny = { name: 'sg_sunny', arguments: {} }
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

function sentAs(version: string, params: JsonObject) {
  return version === '2026-07-28'
    ? modern('tools/call', params)
    : legacy('tools/call', params, { version })
}

/** What the gateway says of the call: in the result's `_meta`, or in the error's `data`. */
function callOf(message: Json | undefined): unknown {
  const [result, error] = [memberOf(message, 'result'), memberOf(message, 'error')]
  return memberOf(memberOf(result, '_meta') ?? memberOf(error, 'data'), 'skillgate/call')
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

describe('the call that an answer over Streamable HTTP names', () => {
  test.each(VERSIONS)('an answer in %s has the call id of the log', async (version) => {
    const succeeded = await post(door, withKey(ada, sentAs(version, sunny)))
    await world.clock.settle()
    world.upstream.next({ kind: 'answer', status: 500 })
    const failed = await post(door, withKey(ada, sentAs(version, sunny)))
    const [first, second] = world.log.calls
    expect(callOf(succeeded.json())).toEqual({ callId: first?.callId })
    expect(callOf(failed.json())).toEqual({ callId: second?.callId })
    expect(first?.callId).toMatch(CALL_ID)
  })
})

describe('the id of a call', () => {
  test.each([
    ['without a key', undefined, sunny],
    ['to a built-in tool', 'ada', { name: 'sg_account', arguments: {} }],
    ['to an unknown tool', 'ada', { name: 'sg_nobody', arguments: {} }],
    ['to a built-in tool that needs a key', undefined, { name: 'sg_account', arguments: {} }],
  ])('an answer to a call %s names the call', async (_title, who, params) => {
    const key = who === undefined ? undefined : ada
    for (const version of VERSIONS) {
      const out = await post(door, withKey(key, sentAs(version, params)))
      expect(callOf(out.json())).toEqual({ callId: expect.stringMatching(CALL_ID) })
    }
  })

  test('an answer about a number too large, a refused argument, or missing credits names its call', async () => {
    await world.skill('sg_dear', { price: 1_000 })
    await world.skill('sg_strict', { parameters: { type: 'object', required: ['city'] } })
    for (const name of ['sg_dear', 'sg_strict']) {
      const out = await post(door, withKey(ada, legacy('tools/call', { name, arguments: {} })))
      expect(out.json()).toMatchObject({ result: { isError: true } })
      expect(callOf(out.json())).toEqual({ callId: expect.stringMatching(CALL_ID) })
    }
  })

  test('an answer of 401 names its call in the problem document', async () => {
    const out = await post(
      door,
      withKey(`Bearer sgk_${'a'.repeat(43)}`, modern('tools/call', sunny)),
    )
    expect(out.status).toBe(401)
    expect(out.json()).toMatchObject({ callId: expect.stringMatching(CALL_ID) })
  })

  test('an answer to a call that the store did not let finish names it by the id of the log', async () => {
    const find = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.keys = { ...world.ports.keys, find }
    door = doorOf(world)
    const sent = legacy('tools/call', { name: 'sg_account', arguments: {} })
    const out = await post(door, withKey(ada, sent))
    expect(out.json()).toMatchObject({ error: { code: -32603 } })
    const noted = world.log.notes.find(({ event }) => event === 'message-failed')
    expect(callOf(out.json())).toEqual({ callId: noted?.fields?.['callId'] })
    expect(noted?.fields?.['callId']).toMatch(CALL_ID)
  })

  test('an answer that asks for a pause names the seconds as a number', async () => {
    world.upstream.next({ kind: 'answer', status: 429, retryAfter: '7' })
    const out = await post(door, withKey(ada, legacy('tools/call', sunny)))
    expect(callOf(out.json())).toEqual({ callId: world.log.calls[0]?.callId, retryAfterSec: 7 })
  })
})

describe('an answer on HTTP+SSE', () => {
  test('a result and an error name the call', async () => {
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_sunny'))
    await stream.post(call(2, 'sg_nobody'))
    await world.clock.advance(250)
    expect(callOf(stream.withId(1)[0])).toEqual({ callId: world.log.calls[0]?.callId })
    expect(callOf(stream.withId(2)[0])).toEqual({ callId: expect.stringMatching(CALL_ID) })
  })

  test('the error of an overdue call names the call, and that of another request names none', async () => {
    const stream = await openStream(world, ada)
    world.down.work = true
    await stream.post(call(1, 'sg_sunny'))
    await stream.post(request(2, 'tools/list'))
    await world.clock.advance(21_000)
    expect(callOf(stream.withId(1)[0])).toEqual({ callId: expect.stringMatching(CALL_ID) })
    expect(stream.withId(2)[0]).toMatchObject({ error: { code: -32603 } })
    expect(callOf(stream.withId(2)[0])).toBeUndefined()
  })
})

describe('progress', () => {
  const slow = { ...sunny, _meta: { progressToken: 1 } }

  async function told(
    skill: { source?: 'private'; uid?: string; timeoutMs: number },
    name: string,
  ) {
    const { timeoutMs, ...of } = skill
    await world.skill('sg_sunny', { ...of, config: { timeout_ms: timeoutMs } })
    world.upstream.always({ kind: 'deaf' })
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', { ...slow, name })))
    await world.clock.advance(1_000)
    await world.clock.advance(timeoutMs)
    await done
    return out.text
  }

  test('names the time limit of the skill and counts up to it', async () => {
    const text = await told({ timeoutMs: 2_500 }, 'sg_sunny')
    expect(text).toContain(
      '"progress":2,"total":2.5,"message":"sg_sunny has run for 2 s of at most 2.5 s"',
    )
    expect(text).not.toContain('15 s')
  })

  test('names the limit of a private skill, called by its tool name', async () => {
    const text = await told({ timeoutMs: 3_000, source: 'private', uid: 'ada' }, 'ada_sg_sunny')
    expect(text).toContain('ada_sg_sunny has run for 1 s of at most 3 s')
  })

  test('names 15 s when the store does not answer, and waits for it no longer than 0.5 s', async () => {
    world.upstream.always({ kind: 'deaf' })
    world.ports.toolListVersion = {
      ...world.ports.toolListVersion,
      read: () => new Promise(() => {}),
    }
    door = doorOf(world)
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', slow)))
    await world.clock.advance(699)
    expect(out.text).toBe('')
    await world.clock.advance(1)
    expect(out.text).toContain('sg_sunny has run for 0 s of at most 15 s')
    await world.clock.advance(15_000)
    await done
  })
})
