import { describe, expect, test } from 'vitest'
import {
  createUser,
  grantCredits,
  patchUser,
  readUser,
} from '../../../../core/flow/accounts/manage-users.ts'
import { execute } from '../caller.ts'
import { makeWorld, okOf, refusalOf } from '../world.ts'

describe('a new user', () => {
  test('has the name, uid, tier and credits of the request', async () => {
    const world = makeWorld()
    const body = { username: 'Ada Lovelace', uid: 'u1', tier: 'pro', credits: 2.5 }
    expect(okOf(await createUser(world.ports, body))).toEqual({
      uid: 'u1',
      username: 'Ada Lovelace',
      tier: 'pro',
      credits: 2.5,
      creditsOnHold: 0,
      createdAtMs: world.clock.nowMs(),
    })
  })

  test('has the groups of the request, each once and in order', async () => {
    const world = makeWorld()
    const body = { username: 'ada', groups: ['ops', 'hr', 'ops'] }
    expect(okOf(await createUser(world.ports, body)).groups).toEqual(['hr', 'ops'])
  })

  test('has 32 groups at most, and no group that is no name', async () => {
    const world = makeWorld()
    const many = (count: number) => Array.from({ length: count }, (_, n) => `g${n}`)
    const made = await createUser(world.ports, { username: 'ada', groups: many(32) })
    expect(okOf(made).groups).toHaveLength(32)
    const more = refusalOf(await createUser(world.ports, { username: 'eve', groups: many(33) }))
    expect(more.faults).toEqual([
      { pointer: '/groups', message: 'must be a list of at most 32 groups' },
    ])
    const bad = refusalOf(await createUser(world.ports, { username: 'eve', groups: ['ops', '-'] }))
    expect(bad.faults?.map(({ pointer }) => pointer)).toEqual(['/groups/1'])
  })

  test('needs a name only', async () => {
    const world = makeWorld()
    const user = okOf(await createUser(world.ports, { username: 'ada' }))
    expect(user).toMatchObject({ tier: 'free', credits: 0 })
    expect(user.uid).toMatch(/^[A-Za-z0-9_-]{16}$/)
  })

  test('cannot take a uid that another user has, and leaves that user alone', async () => {
    const world = makeWorld()
    await createUser(world.ports, { username: 'ada', uid: 'u1', credits: 5 })
    const refusal = refusalOf(
      await createUser(world.ports, { username: 'eve', uid: 'u1', credits: 9 }),
    )
    expect(refusal.code).toBe('conflict')
    expect(okOf(await readUser(world.ports, 'u1'))).toMatchObject({ username: 'ada', credits: 5 })
  })

  test.each([
    ['no object', [], undefined],
    ['no name', {}, '/username'],
    ['an empty name', { username: '  ' }, '/username'],
    ['a name of 41 characters', { username: 'a'.repeat(41) }, '/username'],
    ['a control character', { username: 'a\u0000b' }, '/username'],
    ['a uid with a slash', { username: 'a', uid: 'a/b' }, '/uid'],
    ['a uid of 65 characters', { username: 'a', uid: 'a'.repeat(65) }, '/uid'],
    ['a tier that is no word', { username: 'a', tier: 7 }, '/tier'],
    ['negative credits', { username: 'a', credits: -1 }, '/credits'],
    ['7 decimals', { username: 'a', credits: 0.1234567 }, '/credits'],
    ['more credits than there may be', { username: 'a', credits: 100_000_001 }, '/credits'],
    ['a field that is not there', { username: 'a', admin: true }, '/admin'],
  ])('is not made with %s', async (_what, body, pointer) => {
    const world = makeWorld()
    const refusal = refusalOf(await createUser(world.ports, body))
    const places = refusal.faults?.map((fault) => fault.pointer)
    expect(places).toEqual(pointer === undefined ? undefined : [pointer])
  })

  test('may have a name of 40 characters, a uid of 64 and the most credits allowed', async () => {
    const world = makeWorld()
    const body = { username: 'ä'.repeat(40), uid: 'a'.repeat(64), credits: 100_000_000 }
    expect(okOf(await createUser(world.ports, body)).credits).toBe(100_000_000)
  })

  test('is refused with all faults at once', async () => {
    const world = makeWorld()
    const refusal = refusalOf(
      await createUser(world.ports, { username: '', uid: '', credits: 'x' }),
    )
    expect(refusal.faults).toHaveLength(3)
  })
})

describe('a changed user', () => {
  test('has a new name or tier, and everything else unchanged', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada', credits: 7 })
    const before = await world.profile('u1')
    const renamed = okOf(await patchUser(world.ports, 'u1', { username: 'Ada L.' }))
    expect(renamed).toMatchObject({ uid: 'u1', username: 'Ada L.', tier: 'free', credits: 7 })
    const moved = okOf(await patchUser(world.ports, 'u1', { tier: 'pro' }))
    expect(moved).toMatchObject({ username: 'Ada L.', tier: 'pro' })
    expect(await world.profile('u1')).toEqual({ ...before, username: 'Ada L.', tier: 'pro' })
  })

  test('has the limits of the new tier from the next call on', async () => {
    const world = makeWorld()
    const key = await world.user('u1')
    await world.skill('sg_free', { price: 0 })
    await patchUser(world.ports, 'u1', { tier: 'small' })
    const codes: unknown[] = []
    for (let time = 1; time <= 4; time += 1) {
      const { answer } = await execute(world, key, 'sg_free')
      codes.push('code' in answer.body ? answer.body.code : 'ok')
    }
    expect(codes).toEqual(['ok', 'ok', 'ok', 'rate_limited'])
  })

  test.each([
    ['no object', [], 'malformed'],
    ['nothing to change', {}, 'malformed'],
    ['an empty name', { username: ' ' }, 'invalid_arguments'],
    ['a name of 41 characters', { username: 'a'.repeat(41) }, 'invalid_arguments'],
    ['a tier that is no identifier', { tier: 'pro plus' }, 'invalid_arguments'],
    ['no tier', { tier: null }, 'invalid_arguments'],
    ['credits', { credits: 5 }, 'invalid_arguments'],
    ['a name beside a wrong tier', { username: 'eve', tier: '' }, 'invalid_arguments'],
  ])('is not made by %s', async (_what, body, code) => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const before = await world.profile('u1')
    expect(refusalOf(await patchUser(world.ports, 'u1', body)).code).toBe(code)
    expect(await world.profile('u1')).toEqual(before)
  })

  test('must exist', async () => {
    const refusal = refusalOf(await patchUser(makeWorld().ports, 'nobody', { tier: 'pro' }))
    expect(refusal.code).toBe('not_found')
  })
})

describe('a grant', () => {
  async function granted(amount: number) {
    const world = makeWorld()
    await world.user('ada', { credits: amount })
    return world
  }

  test('adds exactly, once per grantId', async () => {
    const world = await granted(0.1)
    const body = { grantId: 'g1', amount: 0.2 }
    const first = okOf(await grantCredits(world.ports, 'ada', body))
    expect(first).toMatchObject({ granted: true, user: { credits: 0.3 } })
    const again = okOf(await grantCredits(world.ports, 'ada', body))
    expect(again).toMatchObject({ granted: false, user: { credits: 0.3 } })
  })

  test('with a grantId that was used for another amount is a conflict that names it', async () => {
    const world = await granted(1)
    await grantCredits(world.ports, 'ada', { grantId: 'g1', amount: 2.5 })
    const refusal = refusalOf(await grantCredits(world.ports, 'ada', { grantId: 'g1', amount: 3 }))
    expect(refusal.code).toBe('conflict')
    expect(refusal.detail).toContain('2.5')
  })

  test('reaches the most credits allowed and does not pass them', async () => {
    const world = await granted(99_999_999)
    expect((await grantCredits(world.ports, 'ada', { grantId: 'a', amount: 1 })).ok).toBe(true)
    const over = refusalOf(
      await grantCredits(world.ports, 'ada', { grantId: 'b', amount: 0.000001 }),
    )
    expect(over).toMatchObject({ code: 'invalid_arguments' })
  })

  test('needs a user, a grantId and an amount over 0', async () => {
    const world = await granted(1)
    const nobody = refusalOf(await grantCredits(world.ports, 'eve', { grantId: 'a', amount: 1 }))
    expect(nobody.code).toBe('not_found')
    const bad = refusalOf(await grantCredits(world.ports, 'ada', {}))
    expect(bad.faults?.map((fault) => fault.pointer)).toEqual(['/grantId', '/amount'])
    const zero = refusalOf(await grantCredits(world.ports, 'ada', { grantId: 'a', amount: 0 }))
    expect(zero.faults).toEqual([{ pointer: '/amount', message: 'must be more than 0' }])
  })
})
