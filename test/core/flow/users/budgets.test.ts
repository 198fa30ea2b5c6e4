/** Monthly budgets over the flows: administrators set them, calls reach them, and both see them. */
import { describe, expect, test } from 'vitest'
import { changeKey, issueKey, listKeys } from '../../../../core/flow/users/manage-keys.ts'
import { patchUser, readUser } from '../../../../core/flow/users/manage-users.ts'
import { execute, run } from '../caller.ts'
import { call, openStream, textOf } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const NO_PAGE = { limit: undefined, cursor: undefined }

/** A user with two keys, by keyId, and a skill for half a credit. */
async function worldWith(monthlyBudget: number | null) {
  const world = makeWorld()
  const key = await world.user('ada', { credits: 100 })
  const second = okOf(await issueKey(world.ports, 'ada'))
  await world.skill('sg_paid', { price: 0.5 })
  await patchUser(world.ports, 'ada', { monthlyBudget })
  const { keys } = okOf(await listKeys(world.ports, 'ada', NO_PAGE))
  const first = keys.find(({ keyId }) => keyId !== second.keyId)?.keyId ?? ''
  return { world, key, first, second: second.keyId, other: `Bearer ${second.key}` }
}

async function codeOf(world: World, key: string): Promise<unknown> {
  const answer = await run(world, key, 'sg_paid')
  return 'code' in answer.body ? answer.body.code : 'ok'
}

describe('a call at the budget of its user', () => {
  test('spends the last of it, and the next one is refused with the day of renewal', async () => {
    const { world, key } = await worldWith(1)
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual(['ok', 'ok'])
    const { answer } = await execute(world, key, 'sg_paid')
    expect(okOf(await readUser(world.ports, 'ada')).monthlyBudget).toEqual({
      limit: 1,
      spent: 1,
      renewsOn: '2033-06-01',
    })
    expect(answer.body).toMatchObject({
      status: 402,
      code: 'budget_reached',
      title: 'Monthly budget reached',
      detail:
        'The monthly budget of this user is 1 credit, of which 1 is spent or on hold in 2033-05, and this call costs 0.5 credits. It renews on 2033-06-01 (UTC). Ask your administrator to raise it.',
    })
    expect((await world.credits('ada')).free).toBe(99)
  })

  test('is served again in the next month', async () => {
    const { world, key } = await worldWith(0.5)
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual(['ok', 'budget_reached'])
    world.clock.jump(Date.UTC(2033, 5, 1) - START_MS)
    expect(okOf(await readUser(world.ports, 'ada')).monthlyBudget?.spent).toBe(0)
    const again = `Bearer ${okOf(await issueKey(world.ports, 'ada')).key}`
    expect(await codeOf(world, again)).toBe('ok')
    expect(okOf(await readUser(world.ports, 'ada')).monthlyBudget?.spent).toBe(0.5)
  })

  test('is free when it fails, and its budget as well', async () => {
    const { world, key } = await worldWith(0.5)
    world.upstream.next({ kind: 'answer', status: 500 })
    expect(await codeOf(world, key)).toBe('upstream_failed')
    expect(okOf(await readUser(world.ports, 'ada')).monthlyBudget?.spent).toBe(0)
  })

  test('is served once the budget is raised, or ended', async () => {
    const { world, key } = await worldWith(0)
    expect(await codeOf(world, key)).toBe('budget_reached')
    await patchUser(world.ports, 'ada', { monthlyBudget: 0.5 })
    expect([await codeOf(world, key), await codeOf(world, key)]).toEqual(['ok', 'budget_reached'])
    const ended = okOf(await patchUser(world.ports, 'ada', { monthlyBudget: null }))
    expect([ended.user.monthlyBudget, await codeOf(world, key)]).toEqual([undefined, 'ok'])
  })
})

describe('the budget of a key', () => {
  test('binds calls of that key, and the list of keys shows it', async () => {
    const { world, key, first, other } = await worldWith(null)
    const changed = await changeKey(
      world.ports,
      { uid: 'ada', keyId: first },
      { monthlyBudget: 0.5 },
    )
    expect(okOf(changed)).toMatchObject({ keyId: first, monthlyBudget: { limit: 0.5, spent: 0 } })
    expect([await codeOf(world, key), await codeOf(world, other)]).toEqual(['ok', 'ok'])
    const { answer } = await execute(world, key, 'sg_paid')
    expect(answer.body).toMatchObject({
      code: 'budget_reached',
      detail: expect.stringContaining('of this API key is 0.5 credits, of which 0.5 are spent'),
    })
    expect(await codeOf(world, other)).toBe('ok')
    const { keys } = okOf(await listKeys(world.ports, 'ada', NO_PAGE))
    const shown = keys.map(({ keyId, monthlyBudget }) => [keyId === first, monthlyBudget?.spent])
    expect(shown).toContainEqual([true, 0.5])
    expect(shown).toContainEqual([false, undefined])
  })

  test('is refused for a key of another user, and in a body that sets none', async () => {
    const { world, first } = await worldWith(null)
    await world.user('bob')
    const budget = { monthlyBudget: 1 }
    const foreign = await changeKey(world.ports, { uid: 'bob', keyId: first }, budget)
    expect(refusalOf(foreign).code).toBe('not_found')
    const key = { uid: 'ada', keyId: first }
    expect(refusalOf(await changeKey(world.ports, key, {})).code).toBe('malformed')
    for (const monthlyBudget of [-1, 'x', true, 100_000_001, 0.0000001]) {
      const refusal = refusalOf(await changeKey(world.ports, key, { monthlyBudget }))
      expect(refusal.faults?.map(({ pointer }) => pointer)).toEqual(['/monthlyBudget'])
      const ofUser = refusalOf(await patchUser(world.ports, 'ada', { monthlyBudget }))
      expect(ofUser.faults?.map(({ pointer }) => pointer)).toEqual(['/monthlyBudget'])
    }
    for (const monthlyBudget of [0, 100_000_000, '0.000001', null]) {
      expect((await changeKey(world.ports, key, { monthlyBudget })).ok).toBe(true)
    }
  })

  test('may be set for 20 keys of a user, and the refusal of one more says so', async () => {
    const { world, first } = await worldWith(null)
    const others = await Promise.all(
      Array.from({ length: 20 }, async () => okOf(await issueKey(world.ports, 'ada')).keyId),
    )
    const set = (keyId: string) =>
      changeKey(world.ports, { uid: 'ada', keyId }, { monthlyBudget: 1 })
    for (const keyId of others) expect((await set(keyId)).ok).toBe(true)
    expect(refusalOf(await set(first))).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('20 keys of this user have a budget'),
    })
  })
})

describe('the budget of a key that is issued while another key is changed', () => {
  // The change lists the keys before its write; the other key may come before or after that list.
  test.each([
    ['before the first list of keys is read', 1, 'before'],
    ['after the first list of keys', 1, 'after'],
    ['before the last list of keys is read', 2, 'before'],
    ['after the last list of keys', 2, 'after'],
  ] as const)('is kept if the key comes %s', async (_, at, order) => {
    const { world, first } = await worldWith(null)
    await changeKey(world.ports, { uid: 'ada', keyId: first }, { monthlyBudget: 2 })
    let lists = 0
    let issued = ''
    const issue = async () => {
      issued = okOf(await issueKey(world.ports, 'ada', { monthlyBudget: 1 })).keyId
    }
    const list: typeof world.ports.keys.list = async (uid) => {
      lists += 1
      if (lists === at && order === 'before') await issue()
      const listed = await world.ports.keys.list(uid)
      if (lists === at && order === 'after') await issue()
      return listed
    }
    const ports = { ...world.ports, keys: { ...world.ports.keys, list } }
    await changeKey(ports, { uid: 'ada', keyId: first }, { monthlyBudget: 3 })
    if (issued === '') await issue()
    const { keys } = okOf(await listKeys(world.ports, 'ada', NO_PAGE))
    expect(keys.find(({ keyId }) => keyId === issued)?.monthlyBudget?.limit).toBe(1)
    expect(keys.find(({ keyId }) => keyId === first)?.monthlyBudget?.limit).toBe(3)
  })
})

describe('the budgets of an account', () => {
  test.each(['sg_account', 'sg_usage'])('a user sees the budgets in %s', async (tool) => {
    const { world, key, first } = await worldWith(10)
    await changeKey(world.ports, { uid: 'ada', keyId: first }, { monthlyBudget: 2 })
    await codeOf(world, key)
    const stream = await openStream(world, key)
    await stream.post(call(1, tool))
    await world.clock.advance(250)
    const renews_on = '2033-06-01'
    expect(JSON.parse(textOf(stream.withId(1)[0]))).toMatchObject({
      monthly_budget: { limit: 10, spent: 0.5, renews_on },
      monthly_budget_of_key: { limit: 2, spent: 0.5, renews_on },
    })
  })
})
