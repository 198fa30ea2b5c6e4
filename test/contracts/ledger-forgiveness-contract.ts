/** Ledger contract: a charged call makes one later equal call free, once. */
import { expect, test } from 'vitest'
import type { Outcome } from '../../core/ledger/ledger.ts'
import { atOnce, freshUser, holdOf, profileOf, refundedOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const NOW_MS = 2_000_000_009_000
const LATER = { callId: 'c2', paidBy: 'c1', nowMs: NOW_MS } as const

export function describeForgiveness(opened: () => StorePorts): void {
  test('a forgiven call is refunded with its reason, and the paid one names it', async () => {
    const { ledger, profiles } = opened()
    const { uid, outcomes } = await settledCalls(opened(), 2)
    expect(await ledger.forgive({ uid, ...LATER })).toBe(true)
    const forgiven = { state: 'refunded', reason: 'repeat', endedAtMs: NOW_MS }
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual({ ...outcomes[0], forgave: 'c2' })
    expect(await ledger.find({ uid, callId: 'c2' })).toEqual({ ...outcomes[1], ...forgiven })
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 900 }))
  })

  test('a forgiveness that is sent again gives back once', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCalls(opened(), 2)
    expect(await ledger.forgive({ uid, ...LATER })).toBe(true)
    expect(await ledger.forgive({ uid, ...LATER })).toBe(true)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 900 }))
  })

  test('one paid call forgives one of ten that ask at once', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCalls(opened(), 11)
    const ids = Array.from({ length: 10 }, (_, index) => `c${index + 2}`)
    const answers = await Promise.all(
      ids.map((callId) => ledger.forgive({ uid, callId, paidBy: 'c1', nowMs: NOW_MS })),
    )
    expect(answers.filter(Boolean)).toEqual([true])
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 100 }))
  })

  test('a call that was refunded forgives none', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 100)
    await settled(opened(), uid, 'c2', 1)
    await ledger.decide(refundedOf(uid, 'c1', 100))
    expect(await ledger.forgive({ uid, ...LATER })).toBe(false)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 0 }))
  })

  test('a call without an outcome forgives none, and is not forgiven', async () => {
    const { ledger } = opened()
    const { uid, outcomes } = await settledCalls(opened(), 1)
    expect(await ledger.forgive({ uid, ...LATER })).toBe(false)
    expect(await ledger.forgive({ uid, ...LATER, callId: 'c1', paidBy: 'c0' })).toBe(false)
    expect(await ledger.find({ uid, callId: 'c1' })).toEqual(outcomes[0])
  })

  test('a forgiven call forgives none', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCalls(opened(), 3)
    expect(await ledger.forgive({ uid, ...LATER })).toBe(true)
    expect(await ledger.forgive({ uid, callId: 'c3', paidBy: 'c2', nowMs: NOW_MS })).toBe(false)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 800 }))
  })

  test('a call that forgave another one is neither forgiven nor voided', async () => {
    const { ledger, profiles } = opened()
    const { uid, outcomes } = await settledCalls(opened(), 3)
    await ledger.forgive({ uid, callId: 'c3', paidBy: 'c2', nowMs: NOW_MS })
    const paid = { ...outcomes[1], forgave: 'c3' }
    expect(await ledger.forgive({ uid, ...LATER })).toBe(false)
    const voiding = { uid, callId: 'c2', reason: 'void', nowMs: NOW_MS } as const
    expect(await ledger.voidSettled(voiding)).toEqual(paid)
    expect(await ledger.find({ uid, callId: 'c2' })).toEqual(paid)
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 800 }))
  })

  test('a void of the paid call and a forgiveness at once give back one price', async () => {
    const { ledger, profiles } = opened()
    for (let round = 0; round < 5; round += 1) {
      const { uid } = await settledCalls(opened(), 2)
      await Promise.all([
        ledger.forgive({ uid, ...LATER }),
        ledger.voidSettled({ uid, callId: 'c1', reason: 'void', nowMs: NOW_MS }),
      ])
      expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 900 }))
    }
  })

  test('a forgiveness before the release of its call gives back once', async () => {
    const { ledger, profiles } = opened()
    const { uid } = await settledCalls(opened(), 1)
    await ledger.hold({ uid, callId: 'c2', hold: holdOf(100), holdsMax: 32 })
    await ledger.decide({ ...settledOf(uid, 'c2', 100), placement: 2 })
    await Promise.all([
      atOnce(3, () => ledger.forgive({ uid, ...LATER })),
      ledger.release({ uid, callId: 'c2', giveBack: false, placement: 2 }),
    ])
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 900 }))
  })
}

/** A user who had at least 1,000, and paid 100 for each of the calls c1, c2 … */
async function settledCalls(
  ports: StorePorts,
  count: number,
): Promise<{ uid: string; outcomes: readonly Outcome[] }> {
  const uid = await freshUser(ports, Math.max(1_000, count * 100))
  const outcomes: Outcome[] = []
  for (let index = 1; index <= count; index += 1) {
    outcomes.push(await settled(ports, uid, `c${index}`, index))
  }
  return { uid, outcomes }
}

async function settled(
  { ledger }: StorePorts,
  uid: string,
  callId: string,
  placement: number,
): Promise<Outcome> {
  await ledger.hold({ uid, callId, hold: holdOf(100), holdsMax: 32 })
  const outcome = await ledger.decide({ ...settledOf(uid, callId, 100), placement })
  await ledger.release({ uid, callId, giveBack: false, placement })
  return outcome
}
