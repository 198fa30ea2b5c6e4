/** Sub-keys over the flows: who may issue them, what they may do, and what ends them. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { KEY_CACHE_MS } from '../../../../core/access/limits.ts'
import { authenticate } from '../../../../core/flow/access/authenticate.ts'
import { startStoreWait } from '../../../../core/flow/access/store-wait.ts'
import { answerToolsList } from '../../../../core/flow/tools/answer-tools-list.ts'
import { executeBuiltIn } from '../../../../core/flow/tools/execute-built-in.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import {
  changeKey,
  issueKey,
  listKeys,
  revokeKey,
} from '../../../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { run } from '../caller.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const NO_PAGE = { limit: undefined, cursor: undefined }

async function worldWith(limits: JsonObject = {}) {
  const world = makeWorld()
  await world.user('ada', { credits: 100 })
  await world.skill('sg_weather', { price: 1 })
  await world.skill('sg_stocks', { price: 0.5 })
  await world.skill('sg_free', { price: 0 })
  const issued = okOf(await issueKey(world.ports, 'ada', { mayIssueKeys: true, ...limits }))
  return { world, key: `Bearer ${issued.key}`, keyId: issued.keyId }
}

async function ask(world: World, authorization: string | undefined, args: JsonObject) {
  const { answer } = await executeBuiltIn(world.ports, world.settings, {
    credential: credentialOf(authorization),
    name: 'issue_key',
    arguments: args,
    callId: undefined,
    lists: makeToolListCache(),
  })
  return answer
}

/** The sub-key as a header, and its id. */
async function issueSub(world: World, authorization: string, args: JsonObject = {}) {
  const { body } = await ask(world, authorization, args)
  if (!('structuredContent' in body)) throw new Error(JSON.stringify(body))
  const { key, key_id }: { key: string; key_id: string } = JSON.parse(
    JSON.stringify(body.structuredContent),
  )
  return { sub: `Bearer ${key}`, subId: key_id }
}

async function refused(world: World, authorization: string | undefined, args: JsonObject = {}) {
  const { body } = await ask(world, authorization, args)
  return 'code' in body ? { code: body.code, detail: body.detail } : { code: 'ok', detail: '' }
}

async function codeOf(world: World, key: string, skill = 'sg_weather'): Promise<unknown> {
  const answer = await run(world, key, skill)
  return 'code' in answer.body ? answer.body.code : 'ok'
}

async function listed(world: World, authorization: string): Promise<readonly string[]> {
  const answer = await answerToolsList(world.ports, world.settings, makeToolListCache(), {
    who: await authenticate(world.ports, credentialOf(authorization)),
    wait: startStoreWait(world.ports.clock),
    cursor: undefined,
    resultOf: ({ tools }) => ({ names: tools.map(({ name }) => name) }),
    shape: 'names',
    resultBytesMax: 100_000,
  })
  if (!answer.ok) throw new Error(answer.error.message)
  const { names }: { names: string[] } = JSON.parse(answer.value)
  return names
}

describe('the tool that issues keys', () => {
  test('is listed, in its place by name, for keys that may issue keys, and for no others', async () => {
    const { world, key } = await worldWith()
    const plain = `Bearer ${okOf(await issueKey(world.ports, 'ada')).key}`
    const { sub } = await issueSub(world, key)
    const whole = ['sg_account', 'sg_free', 'sg_issue_key', 'sg_read_result', 'sg_search_skills']
    expect(await listed(world, key)).toEqual([...whole, 'sg_stocks', 'sg_usage', 'sg_weather'])
    expect(await listed(world, plain)).not.toContain('sg_issue_key')
    expect(await listed(world, sub)).not.toContain('sg_issue_key')
  })

  test('is refused to a key that may not issue keys, to a sub-key and without a key', async () => {
    const { world, key } = await worldWith()
    const plain = `Bearer ${okOf(await issueKey(world.ports, 'ada')).key}`
    const { sub } = await issueSub(world, key)
    const rule = {
      code: 'key_scope',
      detail: 'This API key may not issue keys. An administrator can allow it with mayIssueKeys.',
    }
    expect(await refused(world, plain)).toEqual(rule)
    expect(await refused(world, sub)).toEqual(rule)
    expect((await refused(world, undefined)).code).toBe('unauthenticated')
  })

  test('gives a key 10 sub-keys and not one more, also if 15 are asked for at once', async () => {
    const { world, key, keyId } = await worldWith()
    const codes = await Promise.all(
      Array.from({ length: 15 }, async () => (await refused(world, key)).code),
    )
    expect(codes.filter((code) => code === 'ok')).toHaveLength(10)
    const last = await refused(world, key)
    expect(last.detail).toContain('This API key has 10 sub-keys, the most allowed.')
    const { keys } = okOf(await listKeys(world.ports, 'ada', NO_PAGE))
    const subs = keys.filter(({ parentKeyId }) => parentKeyId === keyId)
    expect(subs).toHaveLength(10)
    okOf(await revokeKey(world.ports, { uid: 'ada', keyId: subs[0]?.keyId ?? '' }))
    expect((await refused(world, key)).code).toBe('ok')
  })

  test('refuses limits over those of the key, other fields, and values that are none', async () => {
    const limits = { maxCreditsPerCall: 1, monthlyBudget: 5, callsPerDay: 9 }
    const { world, key } = await worldWith(limits)
    const over = { maxCreditsPerCall: 1.000001, monthlyBudget: 5.000001, callsPerDay: 10 }
    const { code, detail } = await refused(world, key, over)
    expect(code).toBe('invalid_arguments')
    expect(detail).toContain(
      'maxCreditsPerCall: must be at most 1, the limit of the key that issues this one. monthlyBudget: must be at most 5, the limit of the key that issues this one. callsPerDay: must be at most 9, the limit of the key that issues this one.',
    )
    for (const args of [{ mayIssueKeys: true }, { tools: 'sg_*' }, { callsPerDay: 0 }]) {
      expect((await refused(world, key, args)).code).toBe('invalid_arguments')
    }
    expect((await refused(world, key, limits)).code).toBe('ok')
  })
})

describe('a sub-key', () => {
  test('may call what both scopes allow, and lists no more', async () => {
    const { world, key } = await worldWith({ tools: ['sg_w*', 'sg_s*'] })
    const { sub } = await issueSub(world, key, { tools: ['sg_weather', 'sg_free'] })
    const own = ['sg_account', 'sg_read_result', 'sg_search_skills', 'sg_usage', 'sg_weather']
    expect(await listed(world, sub)).toEqual(own)
    expect(await codeOf(world, sub, 'sg_weather')).toBe('ok')
    for (const skill of ['sg_stocks', 'sg_free']) {
      expect(await codeOf(world, sub, skill)).toBe('key_scope')
    }
  })

  test('is bound by a price limit that its parent gets later', async () => {
    const { world, key, keyId } = await worldWith()
    const { sub } = await issueSub(world, key, { maxCreditsPerCall: 2 })
    expect(await codeOf(world, sub)).toBe('ok')
    okOf(await changeKey(world.ports, { uid: 'ada', keyId }, { maxCreditsPerCall: 0.5 }))
    expect(await codeOf(world, sub)).toBe('key_scope')
    expect(await codeOf(world, sub, 'sg_stocks')).toBe('ok')
  })

  test('spends from the budget of its parent, 30 calls at once', async () => {
    const { world, key, keyId } = await worldWith({ monthlyBudget: 7 })
    const subs = [await issueSub(world, key), await issueSub(world, key, { monthlyBudget: 5 })]
    const keys = [key, ...subs.map(({ sub }) => sub)]
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => codeOf(world, keys[index % 3] ?? '')),
    )
    expect(codes.filter((code) => code === 'ok')).toHaveLength(7)
    expect(codes.filter((code) => code === 'budget_reached')).toHaveLength(23)
    const listed = okOf(await listKeys(world.ports, 'ada', NO_PAGE)).keys
    expect(listed.find((one) => one.keyId === keyId)?.monthlyBudget?.spent).toBe(7)
    const answer = await run(world, subs[0]?.sub ?? '', 'sg_weather')
    expect(answer.body).toMatchObject({
      detail: expect.stringContaining(
        'The monthly budget of the key that issued this API key is 7',
      ),
    })
  })

  test('uses the calls per day of its parent, free ones and failed ones too', async () => {
    const { world, key } = await worldWith({ callsPerDay: 3 })
    const { sub } = await issueSub(world, key)
    expect([await codeOf(world, sub, 'sg_free'), await codeOf(world, key, 'sg_free')]).toEqual([
      'ok',
      'ok',
    ])
    world.upstream.next({ kind: 'answer', status: 500 })
    expect(await codeOf(world, sub)).toBe('upstream_failed')
    const answer = await run(world, sub, 'sg_free')
    expect(answer.body).toMatchObject({
      code: 'daily_calls_reached',
      detail: expect.stringContaining(
        'callsPerDay: the key that issued this API key may make 3 calls a day and has made 3',
      ),
    })
    expect(await codeOf(world, key)).toBe('daily_calls_reached')
  })

  test('shares the calls per minute of its parent', async () => {
    const { world, key } = await worldWith()
    const { sub } = await issueSub(world, key)
    const limit = world.settings.tiers['free']?.callsPerMinute ?? 0
    // The key that was issued has taken one.
    for (let calls = 1; calls < limit; calls += 1) {
      expect(await codeOf(world, calls % 2 === 0 ? key : sub, 'sg_free')).toBe('ok')
    }
    expect(await codeOf(world, sub, 'sg_free')).toBe('rate_limited')
    expect(await codeOf(world, key, 'sg_free')).toBe('rate_limited')
  })

  test.each([
    [
      'is revoked',
      async (world: World, keyId: string) => revokeKey(world.ports, { uid: 'ada', keyId }),
    ],
    [
      'may no longer issue keys',
      async (world: World, keyId: string) =>
        changeKey(world.ports, { uid: 'ada', keyId }, { mayIssueKeys: false }),
    ],
  ])('ends within 30 seconds when its parent %s', async (_, end) => {
    const { world, key, keyId } = await worldWith()
    const { sub } = await issueSub(world, key)
    expect(await codeOf(world, sub)).toBe('ok')
    okOf(await end(world, keyId))
    world.clock.jump(KEY_CACHE_MS)
    expect(await codeOf(world, sub)).toBe('unauthenticated')
  })

  test('ends when its parent expires, although the sub-key was used', async () => {
    const { world, key } = await worldWith()
    const { sub } = await issueSub(world, key)
    for (let days = 0; days < 29; days += 1) {
      world.clock.jump(86_400_000)
      expect(await codeOf(world, sub, 'sg_free')).toBe('ok')
    }
    world.clock.jump(86_400_000)
    expect(await codeOf(world, sub, 'sg_free')).toBe('unauthenticated')
  })

  test('cannot be allowed to issue keys', async () => {
    const { world, key } = await worldWith()
    const { subId } = await issueSub(world, key)
    const change = changeKey(world.ports, { uid: 'ada', keyId: subId }, { mayIssueKeys: true })
    expect(refusalOf(await change)).toMatchObject({ code: 'conflict' })
    const narrowed = okOf(
      await changeKey(world.ports, { uid: 'ada', keyId: subId }, { callsPerDay: 1 }),
    )
    expect(narrowed.callsPerDay?.limit).toBe(1)
  })
})

test('mayIssueKeys is set and ended by administrators, and shown', async () => {
  const { world, keyId } = await worldWith()
  const change = (body: JsonObject) => changeKey(world.ports, { uid: 'ada', keyId }, body)
  expect(okOf(await change({ tools: ['sg_*'] })).mayIssueKeys).toBe(true)
  expect(okOf(await change({ mayIssueKeys: false })).mayIssueKeys).toBeUndefined()
  expect(okOf(await change({ mayIssueKeys: true })).mayIssueKeys).toBe(true)
  expect(refusalOf(await change({ mayIssueKeys: null })).faults).toEqual([
    { pointer: '/mayIssueKeys', message: 'must be true or false' },
  ])
})
