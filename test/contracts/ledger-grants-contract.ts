/** Ledger contract: a grant counts once per grantId, never past the limit, and is exact. */
import { expect, test } from 'vitest'
import { atOnce, freshName, freshUser, heldAs, holdOf, profileOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const MORE = { creditsMax: 9_000_000_000_000_000, nowMs: 2_000_000_000_000 }

export function describeGrants(opened: () => StorePorts): void {
  test('a grant adds credits and leaves holds alone', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    const after = profileOf(uid, { credits: 2_600, holds: { c1: heldAs(1, hold) } })
    const granted = await ledger.grant({ uid, grantId: 'g1', amount: 2_000, ...MORE })
    expect(granted).toEqual({ kind: 'granted', profile: after })
    expect(await profiles.read(uid)).toEqual(after)
  })

  test('a grant sent again changes nothing, whatever the limit is by then', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    const grant = { uid, grantId: 'g1', amount: 500, ...MORE }
    await ledger.grant(grant)
    const after = profileOf(uid, { credits: 500 })
    expect(await ledger.grant(grant)).toEqual({ kind: 'repeated', profile: after })
    expect(await ledger.grant({ ...grant, creditsMax: 500 })).toEqual({
      kind: 'repeated',
      profile: after,
    })
    expect(await profiles.read(uid)).toEqual(after)
  })

  test('a grant with the same id and another amount is a conflict that names the first amount', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    await ledger.grant({ uid, grantId: 'g1', amount: 500, ...MORE })
    const other = await ledger.grant({ uid, grantId: 'g1', amount: 501, ...MORE })
    expect(other).toEqual({ kind: 'conflict', amount: 500 })
    expect((await profiles.read(uid))?.credits).toBe(500)
  })

  test('a grant has an id that counts for one user alone', async () => {
    const { ledger } = opened()
    const [ada, bob] = [await freshUser(opened(), 0), await freshUser(opened(), 0)]
    await ledger.grant({ uid: ada, grantId: 'g1', amount: 500, ...MORE })
    const granted = await ledger.grant({ uid: bob, grantId: 'g1', amount: 700, ...MORE })
    expect(granted).toEqual({ kind: 'granted', profile: profileOf(bob, { credits: 700 }) })
  })

  test('a grant reaches the limit and does not pass it, and a refused id may be used again', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const grant = { uid, grantId: 'g1', nowMs: 1, creditsMax: 5_000 }
    expect(await ledger.grant({ ...grant, amount: 4_001 })).toEqual({ kind: 'over_limit' })
    expect((await profiles.read(uid))?.credits).toBe(1_000)
    const granted = await ledger.grant({ ...grant, amount: 4_000 })
    expect(granted).toEqual({ kind: 'granted', profile: profileOf(uid, { credits: 5_000 }) })
    expect(await ledger.grant({ ...grant, grantId: 'g2', amount: 1 })).toEqual({
      kind: 'over_limit',
    })
  })

  test('a grant for an unknown user makes no user, and the id may be used again', async () => {
    const { ledger, profiles } = opened()
    const uid = freshName('u-')
    const grant = { uid, grantId: 'g1', amount: 500, ...MORE }
    expect(await ledger.grant(grant)).toEqual({ kind: 'no_profile' })
    expect(await profiles.read(uid)).toBeUndefined()
    await profiles.create(profileOf(uid))
    expect((await ledger.grant(grant)).kind).toBe('granted')
  })

  test('a grant counts once when it is sent 20 times at once', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    const answers = await atOnce(20, () =>
      ledger.grant({ uid, grantId: 'g1', amount: 500, ...MORE }),
    )
    expect(answers.filter((answer) => answer.kind === 'granted')).toHaveLength(1)
    expect(answers.filter((answer) => answer.kind === 'repeated')).toHaveLength(19)
    expect((await profiles.read(uid))?.credits).toBe(500)
  })

  test('grants count each time when 10 come at once with different ids', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    const answers = await atOnce(10, (index) =>
      ledger.grant({ uid, grantId: `g${index}`, amount: 500, ...MORE }),
    )
    expect(answers.map((answer) => answer.kind)).toEqual(Array(10).fill('granted'))
    expect((await profiles.read(uid))?.credits).toBe(5_000)
  })

  test('a grant and a correction are refused for a user who is leaving, even one that counted before', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const first = { uid, grantId: 'g1', amount: 500, ...MORE }
    await ledger.grant(first)
    for (const state of ['deleting', 'deleted'] as const) {
      await profiles.change(uid, { disabled: { state, reason: 'gone', sinceMs: 1 } })
      const answers = await Promise.all([
        ledger.grant(first),
        ledger.grant({ ...first, grantId: 'g2' }),
        ledger.grant({ ...first, grantId: 'g3', amount: -5_000, creditsMin: -1_000_000 }),
        ledger.grant({ ...first, grantId: 'g4', amount: 9_000_000_000_000_000 }),
      ])
      expect(answers.map(({ kind }) => kind)).toEqual(Array(4).fill('leaving'))
    }
    expect((await profiles.read(uid))?.credits).toBe(1_500)
    expect((await ledger.grants({ uid, limit: 10 })).grants.map(({ grantId }) => grantId)).toEqual([
      'g1',
    ])
  })

  test('a grant reaches a user who is only disabled', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    await profiles.change(uid, { disabled: { state: 'disabled', reason: 'unpaid', sinceMs: 1 } })
    expect((await ledger.grant({ uid, grantId: 'g1', amount: 500, ...MORE })).kind).toBe('granted')
    expect((await profiles.read(uid))?.credits).toBe(500)
  })

  test('grants at once with the deletion of their user are in the balance exactly where they were granted, and none comes after it', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 0)
    const answers = await atOnce(50, async (index) => {
      if (index !== 25) return ledger.grant({ uid, grantId: `g${index}`, amount: 500, ...MORE })
      await profiles.change(uid, { disabled: { state: 'deleting', reason: 'gone', sinceMs: 1 } })
      return undefined
    })
    const granted = answers.filter((answer) => answer?.kind === 'granted')
    const refused = answers.filter((answer) => answer?.kind === 'leaving')
    expect(granted.length + refused.length).toBe(49)
    expect((await profiles.read(uid))?.credits).toBe(500 * granted.length)
    expect((await ledger.grants({ uid, limit: 100 })).grants).toHaveLength(granted.length)
    expect((await ledger.grant({ uid, grantId: 'late', amount: 1, ...MORE })).kind).toBe('leaving')
  })

  test('grants lose their reasons page by page, and keep everything else', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    const other = await freshUser(opened(), 0)
    const grant = { amount: 500, reason: 'for Ada', ...MORE }
    for (const grantId of ['g1', 'g2', 'g3']) await ledger.grant({ ...grant, uid, grantId })
    await ledger.grant({ ...grant, uid: other, grantId: 'g1' })
    const left = { amount: 500, reason: undefined, createdAtMs: 2_000_000_000_000 }
    const next = await ledger.dropReasons({ uid, limit: 2 })
    expect(next).toBe('g2')
    expect(await ledger.dropReasons({ uid, after: 'g2', limit: 2 })).toBeUndefined()
    expect((await ledger.grants({ uid, limit: 10 })).grants).toEqual([
      { grantId: 'g1', ...left },
      { grantId: 'g2', ...left },
      { grantId: 'g3', ...left },
    ])
    expect((await ledger.grants({ uid: other, limit: 10 })).grants[0]?.reason).toBe('for Ada')
    expect(await ledger.dropReasons({ uid, limit: 10 })).toBeUndefined()
  })

  test('a grant has an id that is no call id', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    await ledger.grant({ uid, grantId: 'x1', amount: 500, ...MORE })
    expect(await ledger.find({ uid, callId: 'x1' })).toBeUndefined()
  })

  test('a grant says who gave it, and one that nobody is named for says nothing', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    await ledger.grant({ uid, grantId: 'g1', amount: 500, reason: 'trial', by: 'grace', ...MORE })
    await ledger.grant({ uid, grantId: 'g2', amount: 500, ...MORE })
    const { grants } = await ledger.grants({ uid, limit: 10 })
    expect(grants).toEqual([
      { grantId: 'g1', amount: 500, reason: 'trial', by: 'grace', createdAtMs: MORE.nowMs },
      { grantId: 'g2', amount: 500, createdAtMs: MORE.nowMs },
    ])
  })
}
