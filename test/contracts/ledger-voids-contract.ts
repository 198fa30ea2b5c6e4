/** Ledger contract: a void makes a settled call free, once, before or after its release. */
import { expect, test } from 'vitest'
import type { Outcome } from '../../core/ledger/ledger.ts'
import {
  atOnce,
  freshName,
  freshUser,
  heldAs,
  holdOf,
  profileOf,
  refundedOf,
  settledOf,
} from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const VOID = { callId: 'c1', reason: 'void', nowMs: 2_000_000_009_000 } as const

export function describeVoids(opened: () => StorePorts): void {
  test('a call without an outcome stays without one, and keeps its hold', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    expect(await ledger.voidSettled({ uid, ...VOID })).toBeUndefined()
    expect(await ledger.find({ uid, callId: 'c1' })).toBeUndefined()
    expect(await profiles.read(uid)).toEqual(
      profileOf(uid, { credits: 600, holds: { c1: heldAs(1, hold) } }),
    )
  })

  test('a refunded call stays refunded for its own reason, and gets nothing', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    const refunded = refundedOf(uid, 'c1', 400)
    await ledger.decide(refunded)
    expect(await ledger.voidSettled({ uid, ...VOID })).toEqual(refunded)
    await ledger.release({ uid, callId: 'c1', giveBack: true })
    expect(await ledger.voidSettled({ uid, ...VOID })).toEqual(refunded)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
  })

  test('a charge that stays is given back by no void, before its release or after it', async () => {
    for (const isReleased of [false, true]) {
      const { ledger, profiles } = opened()
      const { uid, settled } = await settledCall(opened())
      if (isReleased) await ledger.release({ uid, callId: 'c1', giveBack: false, placement: 1 })
      const stays = { ...settled, chargeStays: true }
      expect(await ledger.keepCharge({ uid, callId: 'c1' })).toEqual(stays)
      expect(await ledger.keepCharge({ uid, callId: 'c1' })).toEqual(stays)
      expect(await ledger.voidSettled({ uid, ...VOID })).toEqual(stays)
      expect(await ledger.find({ uid, callId: 'c1' })).toEqual(stays)
      expect((await profiles.read(uid))?.credits).toBe(600)
    }
  })

  test('a charge does not stay where the call is refunded or has no outcome', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 1_000)
    expect(await ledger.keepCharge({ uid, callId: 'c1' })).toBeUndefined()
    expect(await ledger.find({ uid, callId: 'c1' })).toBeUndefined()
    const refunded = refundedOf(uid, 'c1', 400)
    await ledger.decide(refunded)
    expect(await ledger.keepCharge({ uid, callId: 'c1' })).toEqual(refunded)
  })

  test('a charge that is to stay and its void at once: one of them wins, and both hear which', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCall(opened())
    const writes = [
      ledger.keepCharge({ uid, callId: 'c1' }),
      ledger.voidSettled({ uid, ...VOID }),
      ledger.keepCharge({ uid, callId: 'c1' }),
    ]
    const states = (await Promise.all(writes)).map((outcome) => outcome?.state)
    const stands = await ledger.find({ uid, callId: 'c1' })
    expect(new Set(states)).toEqual(new Set([stands?.state]))
    await ledger.release({ uid, callId: 'c1', giveBack: false, placement: 1 })
    expect((await profiles.read(uid))?.credits).toBe(stands?.state === 'settled' ? 600 : 1_000)
  })

  test('a void before the release gives the credits back, and no later release does so again', async () => {
    const { ledger, profiles } = opened()
    const { uid, settled } = await settledCall(opened())
    const voided = { ...settled, state: 'refunded', reason: 'void', endedAtMs: 2_000_000_009_000 }
    expect(await ledger.voidSettled({ uid, ...VOID })).toEqual(voided)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(voided)
    const whole = profileOf(uid, { credits: 1_000 })
    expect(await profiles.read(uid)).toEqual(whole)
    expect(await ledger.release({ uid, callId: 'c1', giveBack: true })).toEqual(whole)
    expect(await ledger.release({ uid, callId: 'c1', giveBack: false })).toEqual(whole)
  })

  test('a void after the release gives the credits back', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCall(opened())
    await ledger.release({ uid, callId: 'c1', giveBack: false })
    expect((await ledger.voidSettled({ uid, ...VOID }))?.state).toBe('refunded')
    const whole = profileOf(uid, { credits: 1_000 })
    expect(await profiles.read(uid)).toEqual(whole)
    expect(await ledger.release({ uid, callId: 'c1', giveBack: true })).toEqual(whole)
  })

  test('a second void, for whatever reason, changes nothing', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCall(opened())
    const first = await ledger.voidSettled({ uid, ...VOID })
    const again = { uid, callId: 'c1', reason: 'cancelled', nowMs: 2_000_000_010_000 } as const
    expect(await ledger.voidSettled(again)).toEqual(first)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
  })

  test('a void of a cancelled call has that reason', async () => {
    const { ledger } = opened()
    const { uid } = await settledCall(opened())
    const voided = await ledger.voidSettled({ uid, ...VOID, reason: 'cancelled' })
    expect(voided?.reason).toBe('cancelled')
  })

  test('a settled call of a user who no longer exists stays as it is', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const settled = await ledger.decide(settledOf(uid, 'c1', 400))
    expect(await ledger.voidSettled({ uid, ...VOID })).toEqual(settled)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(settled)
  })

  test('10 voids and a release at once give back once', async () => {
    const { ledger, profiles } = opened()
    for (let round = 0; round < 5; round += 1) {
      const { uid } = await settledCall(opened())
      const [voids] = await Promise.all([
        atOnce(10, () => ledger.voidSettled({ uid, ...VOID })),
        ledger.release({ uid, callId: 'c1', giveBack: false }),
      ])
      expect(voids.map((outcome) => outcome?.state)).toEqual(Array(10).fill('refunded'))
      expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
    }
  })

  test('a void leaves the other calls of the user alone', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCall(opened())
    const other = holdOf(100)
    await ledger.hold({ uid, callId: 'c2', hold: other, holdsMax: 32 })
    await ledger.voidSettled({ uid, ...VOID })
    expect(await profiles.read(uid)).toEqual(
      profileOf(uid, { credits: 900, holds: { c2: heldAs(2, other) } }),
    )
  })

  test('a late duplicate of the hold is told apart by a number of its own', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    await ledger.decide(settledOf(uid, 'c1', 400))
    await ledger.release({ uid, callId: 'c1', giveBack: false, placement: 1 })
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    const twice = profileOf(uid, { credits: 200, holds: { c1: heldAs(2, hold) } })
    expect(await profiles.read(uid)).toEqual(twice)
    await ledger.release({ uid, callId: 'c1', giveBack: false, placement: 1 })
    expect(await profiles.read(uid)).toEqual(twice)
    await ledger.release({ uid, callId: 'c1', giveBack: true, placement: 2 })
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 600 }))
  })

  test('a void that meets a late duplicate of the hold gives both back', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400)
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    await ledger.decide(settledOf(uid, 'c1', 400))
    await ledger.release({ uid, callId: 'c1', giveBack: false, placement: 1 })
    await ledger.hold({ uid, callId: 'c1', hold, holdsMax: 32 })
    expect((await ledger.voidSettled({ uid, ...VOID }))?.state).toBe('refunded')
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
  })
}

/** A user with 1,000 whose call c1 of 400 is settled and not released yet. */
async function settledCall(ports: StorePorts): Promise<{ uid: string; settled: Outcome }> {
  const uid = await freshUser(ports, 1_000)
  await ports.ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
  const settled = await ports.ledger.decide(settledOf(uid, 'c1', 400))
  return { uid, settled }
}
