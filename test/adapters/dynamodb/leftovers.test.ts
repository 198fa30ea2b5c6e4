/** Holds of charged calls in the store itself: what takes them out, at what cost, and how exact the limit of holds is. */
import { describe, expect, test } from 'vitest'
import { dynamoProfiles } from '../../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoLedger } from '../../../adapters/dynamodb/ledger/ledger.ts'
import { healHolds } from '../../../core/flow/execute/heal-holds.ts'
import { placeHold } from '../../../core/flow/execute/hold-credits.ts'
import { standing } from '../../../core/ledger/leftovers.ts'
import { freshName, holdOf, profileOf, settledOf } from '../../contracts/fresh.ts'
import { recordingLog } from '../../core/flow/doubles.ts'
import { manualClock } from '../../core/flow/manual-clock.ts'
import { useEmbeddedStore } from './embedded-store.ts'

const clock = manualClock()
const { store, seen } = await useEmbeddedStore(clock)
const ledger = dynamoLedger(store)
const profiles = dynamoProfiles(store)

const writes = () => seen.filter(({ command }) => command === 'update' || command === 'put')
const unitsWritten = () => writes().reduce((sum, { units }) => sum + units, 0)
const heldIds = async (uid: string) => Object.keys((await profiles.read(uid))?.holds ?? {}).sort()

/** A user with the longest names that calls have, and charged calls whose holds stay. */
async function userWith(...charged: readonly string[]) {
  const uid = freshName('u'.repeat(52))
  await profiles.create(profileOf(uid, { credits: 100_000_000 }))
  for (const [n, callId] of charged.entries()) {
    await ledger.hold({ uid, callId, hold: longHold(), holdsMax: 32 })
    await ledger.decide({ ...settledOf(uid, callId, 500_000), placement: n + 1 })
  }
  seen.length = 0
  return uid
}

const longHold = () =>
  holdOf(500_000, {
    skillId: `sg_${'s'.repeat(29)}`,
    writeToken: 'w'.repeat(12),
    heldAtMs: clock.nowMs(),
  })
const idOf = (n: number) => `1q6a0000${n}-${'c'.repeat(22)}`
const leftover = (n: number, placement = n) => ({ callId: idOf(n), placement })

/** Names the first two as left behind, whether they stand or not. */
const holdThird = (uid: string, holdsMax: number) =>
  ledger.hold({
    ...{ uid, callId: idOf(3), hold: longHold(), holdsMax },
    leftovers: [leftover(1), leftover(2)],
  })

describe('a hold over what charged calls left behind', () => {
  test('a hold takes both out in its own write of one unit, beside which the profile stays within 1 kB', async () => {
    const uid = await userWith(idOf(1), idOf(2))
    const held = await holdThird(uid, 1)
    expect([held.kind, await heldIds(uid), unitsWritten()]).toEqual(['held', [idOf(3)], 1])
  })

  test('a hold finds one of two gone at the limit, and is placed by a second try', async () => {
    const uid = await userWith(idOf(1))
    const held = await holdThird(uid, 1)
    // The store does not report the write that it refused.
    expect([held.kind, await heldIds(uid)]).toEqual(['held', [idOf(3)]])
  })

  test('a hold below the limit needs no second try for what is gone', async () => {
    const uid = await userWith(idOf(1))
    const held = await holdThird(uid, 2)
    expect([held.kind, await heldIds(uid), writes().length]).toEqual(['held', [idOf(3)], 1])
  })

  test('a hold leaves a hold of another number alone, which counts against the limit', async () => {
    const uid = await userWith(idOf(1))
    const more = { uid, callId: idOf(3), hold: longHold(), leftovers: [leftover(1, 7)] }
    expect(await ledger.hold({ ...more, holdsMax: 1 })).toMatchObject({ why: 'too_many_holds' })
    expect((await ledger.hold({ ...more, holdsMax: 2 })).kind).toBe('held')
    expect(await heldIds(uid)).toEqual([idOf(1), idOf(3)])
  })

  test('a call that no read told of what is left behind is not refused for it', async () => {
    const uid = await userWith(idOf(1))
    const read = await profiles.read(uid)
    if (read === undefined) throw new Error('no profile')
    const request = { uid, callId: idOf(2), hold: longHold(), holdsMax: 1 }
    const held = await placeHold({ ledger }, standing(read, []), request)
    expect([held.kind, await heldIds(uid)]).toEqual(['held', [idOf(2)]])
    const third = { ...request, callId: idOf(3) }
    expect(await placeHold({ ledger }, standing(read, []), third)).toMatchObject({
      why: 'too_many_holds',
    })
  })
})

describe('a release beside what charged calls left behind', () => {
  test('a release takes them out in its own write, and gives nothing back', async () => {
    const uid = await userWith(idOf(1), idOf(2))
    const release = { uid, callId: idOf(2), giveBack: false, placement: 2 }
    const after = await ledger.release({ ...release, leftovers: [leftover(1), leftover(5)] })
    expect([after?.credits, after?.holds, unitsWritten()]).toEqual([99_000_000, {}, 1])
  })

  test('a sweep takes both out with one write and no outcome of its own, once they are older than any call', async () => {
    const uid = await userWith(idOf(1), idOf(2))
    const ports = { clock, ledger, log: recordingLog() }
    const sweep = async () => {
      const profile = await profiles.read(uid)
      if (profile === undefined) throw new Error('no profile')
      seen.length = 0
      return healHolds(ports, profile)
    }
    expect((await sweep()).ended).toBe(0)
    expect([await heldIds(uid), unitsWritten()]).toEqual([[idOf(1), idOf(2)], 0])
    clock.jump(60_001)
    expect(await sweep()).toMatchObject({ ended: 0, profile: { credits: 99_000_000, holds: {} } })
    expect([writes().length, ports.log.events()]).toEqual([1, []])
  })
})
