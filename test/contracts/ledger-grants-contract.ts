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
