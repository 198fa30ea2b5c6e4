import { describe, expect, test } from 'vitest'
import { grantCredits } from '../../../../core/flow/users/grant-credits.ts'
import { createUser, patchUser } from '../../../../core/flow/users/manage-users.ts'
import { showGrants } from '../../../../core/flow/users/show-grants.ts'
import { showUser } from '../../../../core/flow/users/show-user.ts'
import { execute } from '../caller.ts'
import { makeWorld, okOf, refusalOf } from '../world.ts'

const NO_PAGE = { limit: undefined, cursor: undefined }

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
      state: 'active',
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

  test('gets no uid that begins with a dash', async () => {
    const world = makeWorld()
    const drawn = ['--bcdefghijklmno', '-abcdefghijklmno', 'a-cdefghijklmnop']
    const ids = { ...world.ports.ids, token: () => drawn.shift() ?? '' }
    const made = okOf(await createUser({ ...world.ports, ids }, { username: 'ada' }))
    expect(made.uid).toBe('a-cdefghijklmnop')
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
    expect(okOf(await showUser(world.ports, 'u1'))).toMatchObject({ username: 'ada', credits: 5 })
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
  ])('is refused with %s', async (_what, body, pointer) => {
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
    const user = { uid: 'u1', username: 'Ada L.', tier: 'free', credits: 7 }
    expect(renamed).toMatchObject({ user, usernameBefore: 'ada' })
    const moved = okOf(await patchUser(world.ports, 'u1', { tier: 'pro' }))
    expect(moved).toMatchObject({ user: { ...user, tier: 'pro' }, usernameBefore: undefined })
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
  ])('is refused with %s', async (_what, body, code) => {
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

  test('needs a user, a grantId and an amount', async () => {
    const world = await granted(1)
    const nobody = refusalOf(await grantCredits(world.ports, 'eve', { grantId: 'a', amount: 1 }))
    expect(nobody.code).toBe('not_found')
    const bad = refusalOf(await grantCredits(world.ports, 'ada', {}))
    expect(bad.faults?.map((fault) => fault.pointer)).toEqual(['/grantId', '/amount'])
    const zero = refusalOf(await grantCredits(world.ports, 'ada', { grantId: 'a', amount: 0 }))
    expect(zero.faults).toEqual([{ pointer: '/amount', message: 'must not be 0' }])
  })
})

describe('a correction', () => {
  const TAKEN = { grantId: 'k1', amount: -2.5, reason: 'November was granted twice' }

  async function worldWith(credits: number) {
    const world = makeWorld()
    await world.user('ada', { credits })
    return world
  }

  test('takes credits exactly, once per grantId, and is listed with its reason', async () => {
    const world = await worldWith(10)
    const first = okOf(await grantCredits(world.ports, 'ada', TAKEN))
    expect(first).toMatchObject({ granted: true, user: { credits: 7.5 } })
    const again = okOf(await grantCredits(world.ports, 'ada', { ...TAKEN, reason: 'other' }))
    expect(again).toMatchObject({ granted: false, user: { credits: 7.5 } })
    const conflict = await grantCredits(world.ports, 'ada', { ...TAKEN, amount: 2.5 })
    expect(refusalOf(conflict)).toMatchObject({ code: 'conflict' })
    const { grants } = okOf(await showGrants(world.ports, 'ada', NO_PAGE))
    expect(grants.at(-1)).toMatchObject(TAKEN)
  })

  test('does not go below zero unless it may, and says what the balance is', async () => {
    const world = await worldWith(2)
    const refusal = refusalOf(await grantCredits(world.ports, 'ada', TAKEN))
    expect(refusal).toMatchObject({ code: 'invalid_arguments' })
    expect(refusal.detail).toBe(
      '/amount: would take the user below 0 credits, and the balance is 2',
    )
    expect(refusal.remedy).toEqual({ code: 'allow_debt' })
    const debt = await grantCredits(world.ports, 'ada', { ...TAKEN, allowNegative: true })
    expect(okOf(debt)).toMatchObject({ granted: true, user: { credits: -0.5 } })
  })

  test('leaves a debt of 100,000,000 credits and not one more', async () => {
    const world = await worldWith(0)
    const most = { ...TAKEN, amount: -100_000_000, allowNegative: true }
    expect(okOf(await grantCredits(world.ports, 'ada', most)).user.credits).toBe(-100_000_000)
    const more = { ...most, grantId: 'k2', amount: -0.000001 }
    expect(refusalOf(await grantCredits(world.ports, 'ada', more)).detail).toContain(
      'below -100000000 credits',
    )
  })

  test('a call with a price is refused while there is a debt, and a free one is not', async () => {
    const world = makeWorld()
    const key = await world.user('ada', { credits: 0 })
    await world.skill('sg_free', { price: 0 })
    await world.skill('sg_paid', { price: 1 })
    await grantCredits(world.ports, 'ada', { ...TAKEN, allowNegative: true })
    expect((await execute(world, key, 'sg_free')).answer.body).not.toHaveProperty('code')
    expect((await execute(world, key, 'sg_paid')).answer.body).toMatchObject({
      code: 'insufficient_credits',
      detail: expect.stringContaining('the balance is -2.5'),
    })
  })

  test.each([
    ['no reason', { reason: undefined }, '/reason'],
    ['a blank reason', { reason: ' ' }, '/reason'],
    ['a reason of two lines', { reason: 'a\nb' }, '/reason'],
    ['a reason of 201 characters', { reason: 'r'.repeat(201) }, '/reason'],
    ['a floor that is no flag', { allowNegative: 'yes' }, '/allowNegative'],
    ['an amount of 0', { amount: 0 }, '/amount'],
    ['an amount that is too fine', { amount: -0.0000001 }, '/amount'],
  ])('is refused with %s', async (_what, more, pointer) => {
    const world = await worldWith(10)
    const { reason, ...sent } = { ...TAKEN, ...more }
    const body = reason === undefined ? sent : { ...sent, reason }
    const { faults } = refusalOf(await grantCredits(world.ports, 'ada', body))
    expect(faults?.map((fault) => fault.pointer)).toEqual([pointer])
    expect((await world.profile('ada'))?.credits).toBe(10_000_000)
  })

  test('has a reason of 200 characters, and a grant may have one too', async () => {
    const world = await worldWith(10)
    const reason = '\u{1F4B3}'.repeat(200)
    expect((await grantCredits(world.ports, 'ada', { ...TAKEN, reason })).ok).toBe(true)
    const grant = { grantId: 'g1', amount: 1, reason }
    expect((await grantCredits(world.ports, 'ada', grant)).ok).toBe(true)
    const { grants } = okOf(await showGrants(world.ports, 'ada', NO_PAGE))
    expect(grants.filter((one) => one.reason === reason)).toHaveLength(2)
  })
})

describe('the list of grants', () => {
  test('comes page by page, and refuses an unknown user and a cursor that it did not issue', async () => {
    const world = makeWorld()
    await world.user('ada', { credits: 0 })
    for (const grantId of ['a', 'b', 'c']) {
      await grantCredits(world.ports, 'ada', { grantId, amount: 1 })
    }
    const first = okOf(await showGrants(world.ports, 'ada', { ...NO_PAGE, limit: '2' }))
    const rest = await showGrants(world.ports, 'ada', { ...NO_PAGE, cursor: first.nextCursor })
    expect(first.grants.map(({ grantId }) => grantId)).toEqual(['a', 'b'])
    expect(okOf(rest)).toMatchObject({ grants: [{ grantId: 'c', amount: 1 }] })
    expect(okOf(rest).nextCursor).toBeUndefined()
    expect(refusalOf(await showGrants(world.ports, 'eve', NO_PAGE)).code).toBe('not_found')
    for (const page of [
      { ...NO_PAGE, cursor: 'x' },
      { ...NO_PAGE, limit: '101' },
    ]) {
      expect(refusalOf(await showGrants(world.ports, 'ada', page)).code).toBe('malformed')
    }
    expect((await showGrants(world.ports, 'ada', { ...NO_PAGE, limit: '100' })).ok).toBe(true)
  })
})
