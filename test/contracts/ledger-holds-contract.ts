/**
 * Ledger contract: hold. A refusal changes nothing. Sent again with the same write token (its
 * answer was lost) a hold counts once; with another write token (another attempt of the call) it is
 * refused as `already_held`, so that no call is charged twice, and none runs twice for one charge.
 */
import { expect, test } from 'vitest'
import { atOnce, freshName, freshUser, heldAs, holdOf, profileOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

export function describeHolds(opened: () => StorePorts): void {
  test('a hold subtracts the amount from the credits and adds the hold', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000_000)
    const hold = holdOf(400_000)
    const after = profileOf(uid, { credits: 600_000, holds: { c1: heldAs(1, hold) } })
    expect(await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })).toEqual({
      kind: 'held',
      profile: after,
    })
    expect(await profiles.read(uid)).toEqual(after)
  })

  test('a hold takes the last micro-credit, and none past it', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 500_000)
    const full = profileOf(uid, { credits: 500_000 })
    const tooMuch = { uid, callId: 'c1', hold: holdOf(500_001), holdsMax: 32 }
    expect(await ledger.hold(tooMuch)).toEqual({
      kind: 'refused',
      why: 'insufficient_credits',
      profile: full,
    })
    expect(await profiles.read(uid)).toEqual(full)
    const all = await ledger.hold({ uid, callId: 'c2', hold: holdOf(500_000), holdsMax: 32 })
    expect(all.kind).toBe('held')
    expect((await profiles.read(uid))?.credits).toBe(0)
  })

  test('a free call is held without credits', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    const answer = await ledger.hold({ uid, callId: 'c1', hold: holdOf(0), holdsMax: 32 })
    expect(answer.kind).toBe('held')
    expect(answer.profile?.credits).toBe(0)
  })

  test('a user has as many holds as the limit says, and not one more', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 100)
    for (const callId of ['c1', 'c2', 'c3']) {
      const answer = await ledger.hold({ uid, callId, hold: holdOf(1), holdsMax: 3 })
      expect(answer.kind).toBe('held')
    }
    const before = await profiles.read(uid)
    expect(await ledger.hold({ uid, callId: 'c4', hold: holdOf(1), holdsMax: 3 })).toEqual({
      kind: 'refused',
      why: 'too_many_holds',
      profile: before,
    })
    expect(await profiles.read(uid)).toEqual(before)
    await ledger.release({ uid, callId: 'c2', giveBack: false })
    const again = await ledger.hold({ uid, callId: 'c4', hold: holdOf(1), holdsMax: 3 })
    expect(again.kind).toBe('held')
  })

  test('the next hold of a user with holds continues their numbering', async () => {
    const { ledger, profiles } = opened()
    const uid = freshName('u-')
    const [old, hold] = [holdOf(5), holdOf(10)]
    await profiles.create(profileOf(uid, { credits: 100, holds: { c1: heldAs(7, old) } }))
    const answer = await ledger.hold({ uid, callId: 'c2', hold, holdsMax: 32 })
    expect(answer.profile?.holds).toEqual({ c1: heldAs(7, old), c2: heldAs(8, hold) })
  })

  test('an unknown user is refused and none is made', async () => {
    const { ledger, profiles } = opened()
    const uid = freshName('u-')
    expect(await ledger.hold({ uid, callId: 'c1', hold: holdOf(0), holdsMax: 32 })).toEqual({
      kind: 'refused',
      why: 'no_profile',
      profile: undefined,
    })
    expect(await profiles.read(uid)).toBeUndefined()
  })

  test('a hold sent again with the same write token is placed once, even with no credits and no room left', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 700)
    const request = { uid, callId: 'c1', hold: holdOf(700), holdsMax: 1 }
    const first = await ledger.hold(request)
    const again = await ledger.hold(request)
    expect(first.kind).toBe('held')
    expect(again).toEqual(first)
    expect((await profiles.read(uid))?.credits).toBe(0)
  })

  test('a hold sent again with another write token is refused and the first hold stays', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const first = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold: first, holdsMax: 32 })
    const standing = profileOf(uid, { credits: 600, holds: { c1: heldAs(1, first) } })
    expect(await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })).toEqual({
      kind: 'refused',
      why: 'already_held',
      profile: standing,
    })
    const tooMuch = await ledger.hold({ uid, callId: 'c1', hold: holdOf(601), holdsMax: 1 })
    expect(tooMuch).toMatchObject({ kind: 'refused', why: 'already_held' })
    expect(await profiles.read(uid)).toEqual(standing)
  })

  test('10 attempts of one call at once place one hold and take one amount', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const answers = await atOnce(10, () =>
      ledger.hold({ uid, callId: 'c1', hold: holdOf(100), holdsMax: 32 }),
    )
    expect(answers.filter((answer) => answer.kind === 'held')).toHaveLength(1)
    expect((await profiles.read(uid))?.credits).toBe(900)
  })

  test('a hold sent 10 times at once is placed once', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const request = { uid, callId: 'c1', hold: holdOf(100), holdsMax: 32 }
    const answers = await atOnce(10, () => ledger.hold(request))
    expect(answers.map((answer) => answer.kind)).toEqual(Array(10).fill('held'))
    expect((await profiles.read(uid))?.credits).toBe(900)
  })

  test('50 holds at once with credits for 10 place exactly 10, and nothing is left', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000_000)
    const answers = await atOnce(50, (index) =>
      ledger.hold({ uid, callId: `c${index}`, hold: holdOf(100_000), holdsMax: 100 }),
    )
    expect(answers.filter((answer) => answer.kind === 'held')).toHaveLength(10)
    expect(
      answers.filter((a) => a.kind === 'refused' && a.why === 'insufficient_credits'),
    ).toHaveLength(40)
    const profile = await profiles.read(uid)
    expect(profile?.credits).toBe(0)
    expect(Object.keys(profile?.holds ?? {})).toHaveLength(10)
  })

  test('50 holds at once with room for 10 place exactly 10', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const answers = await atOnce(50, (index) =>
      ledger.hold({ uid, callId: `c${index}`, hold: holdOf(1), holdsMax: 10 }),
    )
    expect(answers.filter((answer) => answer.kind === 'held')).toHaveLength(10)
    expect((await profiles.read(uid))?.credits).toBe(990)
  })

  test('call ids that are special names in JavaScript are ordinary ids', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 100)
    for (const callId of ['constructor', 'toString', 'size', 'a.b#c/d']) {
      const answer = await ledger.hold({ uid, callId, hold: holdOf(10), holdsMax: 32 })
      expect(answer.kind).toBe('held')
      await ledger.release({ uid, callId, giveBack: false })
    }
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 60 }))
  })
}
