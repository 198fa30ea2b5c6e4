/** Ledger contract: the first outcome of a call stands, and its hold is given back at most once. */
import { expect, test } from 'vitest'
import { REFUND_REASONS } from '../../core/ledger/ledger.ts'
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

export function describeOutcomes(opened: () => StorePorts): void {
  test('a call without an outcome has none', async () => {
    expect(await opened().ledger.find({ uid: freshName('u-'), callId: 'c1' })).toBeUndefined()
  })

  test('an outcome is found as it was put', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const settled = settledOf(uid, 'c1', 123_456_789_012_345)
    const refunded = refundedOf(uid, 'c2', 1)
    expect(await ledger.decide(settled)).toEqual(settled)
    expect(await ledger.decide(refunded)).toEqual(refunded)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(settled)
    expect(await ledger.find({ uid, callId: 'c2' })).toEqual(refunded)
    expect(await ledger.find({ uid: freshName('u-'), callId: 'c1' })).toBeUndefined()
  })

  test('an outcome keeps its facts, a void included', async () => {
    const { ledger, profiles } = opened()
    const uid = freshName('u-')
    await profiles.create(profileOf(uid))
    const facts = {
      keyId: 'k1',
      door: 'sse',
      client: 'x/1',
      phases: { auth: 1, answer: 2 },
    } as const
    const settled = { ...settledOf(uid, 'c1', 1), facts }
    expect(await ledger.decide(settled)).toEqual(settled)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(settled)
    const voided = await ledger.voidSettled({ uid, callId: 'c1', reason: 'void', nowMs: 9 })
    expect(voided?.facts).toEqual(facts)
    expect((await ledger.find({ uid, callId: 'c1' }))?.facts).toEqual(facts)
  })

  test.each(REFUND_REASONS)('a refund for %s is found as it was put', async (reason) => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const refunded = { ...refundedOf(uid, 'c1', 1), reason }
    await ledger.decide(refunded)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(refunded)
  })

  test('the first outcome stays, whatever comes later', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const first = refundedOf(uid, 'c1', 500)
    await ledger.decide(first)
    expect(await ledger.decide(settledOf(uid, 'c1', 500))).toEqual(first)
    expect(await ledger.decide(first)).toEqual(first)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(first)
  })

  test('20 deciders at once all get the same outcome', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const claim = await atOnce(20, (index) => {
      const outcome = index % 2 === 0 ? settledOf(uid, 'c1', 500) : refundedOf(uid, 'c1', 500)
      return ledger.decide({ ...outcome, endedAtMs: 3_000 + index })
    })
    expect(new Set(claim.map((outcome) => outcome.endedAtMs)).size).toBe(1)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(claim[0])
  })

  test('a release without giving back keeps the amount', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    const after = profileOf(uid, { credits: 600 })
    expect(await ledger.release({ uid, callId: 'c1', giveBack: false })).toEqual(after)
    expect(await profiles.read(uid)).toEqual(after)
  })

  test('a release that gives back does so once', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    const whole = profileOf(uid, { credits: 1_000 })
    expect(await ledger.release({ uid, callId: 'c1', giveBack: true })).toEqual(whole)
    expect(await ledger.release({ uid, callId: 'c1', giveBack: true })).toEqual(whole)
    expect(await profiles.read(uid)).toEqual(whole)
  })

  test('20 releases at once give back once', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    await atOnce(20, () => ledger.release({ uid, callId: 'c1', giveBack: true }))
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
  })

  test('an amount that was released without giving back cannot be given back later', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 1_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    await ledger.release({ uid, callId: 'c1', giveBack: false })
    const after = await ledger.release({ uid, callId: 'c1', giveBack: true })
    expect(after).toEqual(profileOf(uid, { credits: 600 }))
  })

  test('a release leaves the other holds alone', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 1_000)
    const other = holdOf(300)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    await ledger.hold({ uid, callId: 'c2', hold: other, holdsMax: 32 })
    const after = await ledger.release({ uid, callId: 'c1', giveBack: true })
    expect(after).toEqual(profileOf(uid, { credits: 700, holds: { c2: heldAs(2, other) } }))
  })

  test('a release of a call that holds nothing answers the profile as it is', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 1_000)
    const untouched = profileOf(uid, { credits: 1_000 })
    expect(await ledger.release({ uid, callId: 'c9', giveBack: true })).toEqual(untouched)
  })

  test('a release for an unknown user answers nothing and makes none', async () => {
    const { ledger, profiles } = opened()
    const uid = freshName('u-')
    expect(await ledger.release({ uid, callId: 'c1', giveBack: true })).toBeUndefined()
    expect(await ledger.release({ uid, callId: 'c1', giveBack: false })).toBeUndefined()
    expect(await profiles.read(uid)).toBeUndefined()
  })
}
