/** Calls per day of a key over the flows: administrators set them, calls reach them, both see them. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { callTool } from '../../../../core/flow/tools/call-tool.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { changeKey, issueKey, listKeys } from '../../../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { execute, run } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const NO_PAGE = { limit: undefined, cursor: undefined }
/** The clock starts at 2033-05-18 03:33:20. */
const TO_MIDNIGHT_MS = Date.UTC(2033, 4, 19) - START_MS

async function worldWith(callsPerDay: number) {
  const world = makeWorld()
  await world.user('ada', { credits: 100 })
  await world.skill('sg_paid', { price: 0.5 })
  await world.skill('sg_free', { price: 0 })
  const issued = okOf(await issueKey(world.ports, 'ada', { callsPerDay }))
  return { world, key: `Bearer ${issued.key}`, keyId: issued.keyId }
}

async function codeOf(world: World, key: string, skill = 'sg_paid'): Promise<unknown> {
  const answer = await run(world, key, skill)
  return 'code' in answer.body ? answer.body.code : 'ok'
}

async function dayOf(world: World, keyId: string) {
  const { keys } = okOf(await listKeys(world.ports, 'ada', NO_PAGE))
  return keys.find((one) => one.keyId === keyId)?.callsPerDay
}

function callMcp(world: World, authorization: string, name: string) {
  return callTool(world.ports, world.settings, {
    scope: openCallScope(world.ports),
    name,
    arguments: {},
    credential: credentialOf(authorization),
    ownerOf: async () => undefined,
    callId: `c-${name}-${world.ports.ids.token(6)}`,
    deadlineMs: world.clock.nowMs() + 15_000,
    lists: makeToolListCache(),
    door: 'mcp',
  })
}

describe('a call of a key that has made its calls of the day', () => {
  const detail =
    'callsPerDay: this API key may make 2 calls a day and has made 2 on 2033-05-18 (UTC). It may call again from 2033-05-19T00:00:00Z. An administrator can raise the limit.'

  test.each(['sg_paid', 'sg_free'])('%s is refused with 429 until midnight UTC', async (skill) => {
    const { world, key, keyId } = await worldWith(2)
    expect([await codeOf(world, key, skill), await codeOf(world, key, skill)]).toEqual(['ok', 'ok'])
    const { answer } = await execute(world, key, skill)
    expect(answer.body).toMatchObject({
      status: 429,
      code: 'daily_calls_reached',
      title: 'Calls of the day used up',
      retryAfterSec: 73_600,
      detail,
    })
    expect(await dayOf(world, keyId)).toEqual({ limit: 2, made: 2, renewsOn: '2033-05-19' })
    world.clock.jump(TO_MIDNIGHT_MS - 1)
    expect(await codeOf(world, key, skill)).toBe('daily_calls_reached')
    world.clock.jump(1)
    expect(await dayOf(world, keyId)).toEqual({ limit: 2, made: 0, renewsOn: '2033-05-20' })
    expect(await codeOf(world, key, skill)).toBe('ok')
  })

  test('is a result with isError over MCP and SSE, and built-in tools still answer', async () => {
    const { world, key } = await worldWith(2)
    await codeOf(world, key)
    await codeOf(world, key)
    const text = `${detail} Calling a tool again before then does not help; tell the user. No credits were charged.`
    const result = await callMcp(world, key, 'sg_free')
    expect(result).toMatchObject({ result: { isError: true, content: [{ type: 'text', text }] } })
    const stream = await openStream(world, key)
    await stream.post(call(1, 'sg_paid'))
    await stream.post(call(2, 'sg_account'))
    await world.clock.advance(250)
    expect(textOf(stream.withId(1)[0])).toBe(text)
    expect(JSON.parse(textOf(stream.withId(2)[0]))).toMatchObject({
      calls_per_day_of_key: { limit: 2, made: 2, renews_on: '2033-05-19' },
    })
  })

  test('is served for another key of the user', async () => {
    const { world, key } = await worldWith(1)
    const other = `Bearer ${okOf(await issueKey(world.ports, 'ada')).key}`
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual([
      'ok',
      'daily_calls_reached',
    ])
    expect(await codeOf(world, other)).toBe('ok')
  })
})

describe('a day counts', () => {
  test('a failed call, which is refunded', async () => {
    const { world, key, keyId } = await worldWith(5)
    world.upstream.next({ kind: 'answer', status: 500 })
    expect(await codeOf(world, key)).toBe('upstream_failed')
    world.upstream.next({ kind: 'answer', status: 500 })
    expect(await codeOf(world, key, 'sg_free')).toBe('upstream_failed')
    expect((await dayOf(world, keyId))?.made).toBe(2)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('no call that is refused before its hold, no built-in tool and no repeat', async () => {
    const { world, key, keyId } = await worldWith(5)
    await codeOf(world, key, 'sg_nothing')
    await callMcp(world, key, 'sg_account')
    const idempotencyKey = 'once'
    for (const _ of [1, 2, 3]) await run(world, key, 'sg_free', { idempotencyKey })
    expect((await dayOf(world, keyId))?.made).toBe(1)
  })

  test('30 calls at once exactly up to the limit', async () => {
    const { world, key, keyId } = await worldWith(10)
    const skills = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0 ? 'sg_paid' : 'sg_free',
    )
    const codes = await Promise.all(skills.map((skill) => codeOf(world, key, skill)))
    expect(codes.filter((code) => code === 'ok')).toHaveLength(10)
    expect(codes.filter((code) => code === 'daily_calls_reached')).toHaveLength(20)
    expect((await dayOf(world, keyId))?.made).toBe(10)
    expect((await world.profile('ada')).holds).toEqual({})
  })

  test('a free call whose process died, and the sweep removes its hold', async () => {
    const { world, key, keyId } = await worldWith(5)
    await execute(world, key, 'sg_free')
    expect(Object.keys((await world.profile('ada')).holds)).toHaveLength(1)
    await world.clock.advance(120_000)
    await sweepHolds(world.ports)
    expect((await world.profile('ada')).holds).toEqual({})
    expect((await dayOf(world, keyId))?.made).toBe(1)
  })
})

describe('the limit of calls per day', () => {
  test('is set, raised and ended, and a raised limit binds the next call', async () => {
    const { world, key, keyId } = await worldWith(1)
    const change = (body: JsonObject) => changeKey(world.ports, { uid: 'ada', keyId }, body)
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual([
      'ok',
      'daily_calls_reached',
    ])
    const raised = okOf(await change({ callsPerDay: 2 }))
    expect(raised.callsPerDay).toEqual({ limit: 2, made: 1, renewsOn: '2033-05-19' })
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual([
      'ok',
      'daily_calls_reached',
    ])
    expect(okOf(await change({ callsPerDay: null })).callsPerDay).toBeUndefined()
    expect(await codeOf(world, key)).toBe('ok')
  })

  test.each([0, -1, 1.5, 1_000_001, '5', true, [], {}])('is not %j', async (callsPerDay) => {
    const { world, keyId } = await worldWith(1)
    const refusal = refusalOf(await changeKey(world.ports, { uid: 'ada', keyId }, { callsPerDay }))
    expect(refusal.faults).toEqual([
      {
        pointer: '/callsPerDay',
        message: 'must be a whole number of calls from 1 to 1000000, or null for no limit',
      },
    ])
    expect(refusalOf(await issueKey(world.ports, 'ada', { callsPerDay })).faults).toHaveLength(1)
  })

  test('may be 1 or 1,000,000, for 20 keys of a user and not for one more', async () => {
    const { world } = await worldWith(1_000_000)
    for (let keys = 1; keys < 20; keys += 1) {
      okOf(await issueKey(world.ports, 'ada', { callsPerDay: 1 }))
    }
    const before = (await world.ports.keys.list('ada')).length
    expect(refusalOf(await issueKey(world.ports, 'ada', { callsPerDay: 1 }))).toMatchObject({
      code: 'conflict',
      detail:
        'callsPerDay: 20 keys of this user have a limit of calls per day, the most allowed. End one first.',
    })
    expect(await world.ports.keys.list('ada')).toHaveLength(before)
  })
})
