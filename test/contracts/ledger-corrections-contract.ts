/**
 * Ledger contract: a correction (a grant of a negative amount) takes credits once per grantId, not
 * below the floor that it names, and races holds and other corrections without passing it.
 */
import { expect, test } from 'vitest'
import { atOnce, freshUser, heldAs, holdOf, profileOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const MORE = { creditsMax: 9_000_000_000_000_000, nowMs: 2_000_000_000_000 }

export function describeCorrections(opened: () => StorePorts): void {
  test('a correction takes credits, leaves holds alone, and is listed with its reason', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    const after = profileOf(uid, { credits: 50, holds: { c1: heldAs(1, hold) } })
    const taken = { uid, grantId: 'k1', amount: -550, reason: 'paid twice', ...MORE }
    expect(await ledger.grant(taken)).toEqual({ kind: 'granted', profile: after })
    expect(await profiles.read(uid)).toEqual(after)
    expect(await ledger.grants({ uid, limit: 10 })).toEqual({
      grants: [
        { grantId: 'k1', amount: -550, reason: 'paid twice', createdAtMs: 2_000_000_000_000 },
      ],
      next: undefined,
    })
  })

  test('a correction reaches zero and does not pass it, counting nothing that is on hold', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(300), holdsMax: 32 })
    const tooMuch = { uid, grantId: 'k1', amount: -701, reason: 'r', ...MORE }
    expect(await ledger.grant(tooMuch)).toEqual({ kind: 'under_limit', credits: 700 })
    expect((await profiles.read(uid))?.credits).toBe(700)
    expect((await ledger.grant({ ...tooMuch, amount: -700 })).kind).toBe('granted')
    expect((await profiles.read(uid))?.credits).toBe(0)
  })

  test('a correction reaches the floor that it names and does not pass it; holds are refused until a grant pays', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 100)
    const debt = { uid, reason: 'r', creditsMin: -500, ...MORE }
    expect(await ledger.grant({ ...debt, grantId: 'k1', amount: -601 })).toEqual({
      kind: 'under_limit',
      credits: 100,
    })
    expect((await ledger.grant({ ...debt, grantId: 'k1', amount: -600 })).kind).toBe('granted')
    expect((await profiles.read(uid))?.credits).toBe(-500)
    const hold = { uid, callId: 'c1', holdsMax: 32 }
    for (const amount of [1, 2]) {
      expect(await ledger.hold({ ...hold, hold: holdOf(amount) })).toEqual({
        kind: 'refused',
        why: 'insufficient_credits',
        profile: profileOf(uid, { credits: -500 }),
      })
    }
    await ledger.grant({ uid, grantId: 'g1', amount: 501, ...MORE })
    expect((await ledger.hold({ ...hold, hold: holdOf(1) })).kind).toBe('held')
    expect((await profiles.read(uid))?.credits).toBe(0)
  })

  test('a correction to zero is refused where the balance is below zero, and a grant is not', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    await ledger.grant({ uid, grantId: 'k1', amount: -5, creditsMin: -5, ...MORE })
    expect(await ledger.grant({ uid, grantId: 'k2', amount: -1, ...MORE })).toEqual({
      kind: 'under_limit',
      credits: -5,
    })
    expect((await ledger.grant({ uid, grantId: 'g1', amount: 1, ...MORE })).kind).toBe('granted')
  })

  test('a correction takes credits from a balance that is over the upper limit', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const taken = { uid, grantId: 'k1', amount: -1, reason: 'r', creditsMax: 500, nowMs: 1 }
    expect((await ledger.grant(taken)).kind).toBe('granted')
    expect((await profiles.read(uid))?.credits).toBe(999)
  })

  test('a correction sent again changes nothing, and with the opposite amount it is a conflict', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 500)
    const taken = { uid, grantId: 'k1', amount: -500, reason: 'r', ...MORE }
    await ledger.grant(taken)
    expect((await ledger.grant(taken)).kind).toBe('repeated')
    expect(await ledger.grant({ ...taken, amount: 500 })).toEqual({
      kind: 'conflict',
      amount: -500,
    })
    expect((await profiles.read(uid))?.credits).toBe(0)
  })

  test('20 corrections at once with credits for 7 take exactly 7', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 750)
    const answers = await atOnce(20, (index) =>
      ledger.grant({ uid, grantId: `k${index}`, amount: -100, reason: 'r', ...MORE }),
    )
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(7)
    expect(answers.filter(({ kind }) => kind === 'under_limit')).toHaveLength(13)
    expect((await profiles.read(uid))?.credits).toBe(50)
  })

  test('one correction sent 20 times at once takes its amount once', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 750)
    const answers = await atOnce(20, () =>
      ledger.grant({ uid, grantId: 'k1', amount: -100, reason: 'r', ...MORE }),
    )
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(1)
    expect((await profiles.read(uid))?.credits).toBe(650)
  })

  test('10 corrections beside 20 holds, with credits for 10 of the 30, let exactly 10 happen', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const [corrected, held] = await Promise.all([
      atOnce(10, (index) =>
        ledger.grant({ uid, grantId: `k${index}`, amount: -100, reason: 'r', ...MORE }),
      ),
      atOnce(20, (index) =>
        ledger.hold({ uid, callId: `c${index}`, hold: holdOf(100), holdsMax: 32 }),
      ),
    ])
    const taken = corrected.filter(({ kind }) => kind === 'granted').length
    expect(taken + held.filter(({ kind }) => kind === 'held').length).toBe(10)
    const after = await profiles.read(uid)
    expect(after?.credits).toBe(0)
    expect(Object.keys(after?.holds ?? {})).toHaveLength(10 - taken)
  })

  test('the list of debts has each user whose correction could pass zero, once, and goes on page by page', async () => {
    const { ledger } = opened()
    const all = async (limit: number) => {
      const found: string[] = []
      let after: string | undefined
      do {
        const page = await ledger.debtors({ limit, ...(after === undefined ? {} : { after }) })
        expect(page.uids.length).toBeLessThanOrEqual(limit)
        found.push(...page.uids)
        after = page.next
      } while (after !== undefined)
      return found
    }
    const before = await all(100)
    const uids: string[] = []
    for (let user = 0; user < 5; user += 1) uids.push(await freshUser(opened(), 0))
    const [granted = '', corrected = '', refused = '', ...debtors] = uids
    const debt = { amount: -5, reason: 'r', creditsMin: -9, ...MORE }
    await ledger.grant({ uid: granted, grantId: 'g1', amount: 5, creditsMin: -9, ...MORE })
    await ledger.grant({ uid: granted, grantId: 'k1', amount: -5, reason: 'r', ...MORE })
    await ledger.grant({ uid: corrected, grantId: 'k1', amount: -1, reason: 'r', ...MORE })
    await ledger.grant({ ...debt, uid: refused, grantId: 'k1', amount: -10 })
    for (const uid of debtors) {
      await atOnce(3, (index) =>
        ledger.grant({ ...debt, uid, grantId: `k${index}`, amount: -1 - index }),
      )
    }
    const added = (found: readonly string[]) => found.filter((uid) => !before.includes(uid))
    for (const limit of [1, 2, 100]) expect(added(await all(limit))).toEqual([...debtors].sort())
    await ledger.grant({ uid: debtors[0] ?? '', grantId: 'paid', amount: 100, ...MORE })
    expect(added(await all(100))).toEqual([...debtors].sort())
  })

  test('a list of grants goes on where the page before it ended', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    const other = await freshUser(opened(), 0)
    for (const grantId of ['Z', 'a', '-', 'v0-1', '_']) {
      await ledger.grant({ uid, grantId, amount: 1, ...MORE })
    }
    await ledger.grant({ uid: other, grantId: 'b', amount: 1, ...MORE })
    const first = await ledger.grants({ uid, limit: 3 })
    const second = await ledger.grants({ uid, limit: 3, after: first.next ?? '' })
    const ids = [first, second].map(({ grants }) => grants.map(({ grantId }) => grantId))
    expect([first.next, ids, second.next]).toEqual([
      '_',
      [
        ['-', 'Z', '_'],
        ['a', 'v0-1'],
      ],
      undefined,
    ])
    expect(first.grants[0]?.reason).toBeUndefined()
    expect((await ledger.grants({ uid, limit: 5 })).next).toBeUndefined()
    expect((await ledger.grants({ uid, limit: 4 })).next).toBe('a')
  })
}
