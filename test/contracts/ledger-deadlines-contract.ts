/**
 * Ledger contract: holds of tasks, which have a deadline. They are counted apart from the calls in flight, and
 * every way to end a hold ends its deadline with it.
 */
import { expect, test } from 'vitest'
import { atOnce, freshName, freshUser, heldAs, holdOf, profileOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const UNTIL_MS = 2_000_000_840_000

export function describeDeadlines(opened: () => StorePorts): void {
  const place = (uid: string, callId: string, holdsMax: number, untilMs?: number) => {
    const hold = holdOf(1, untilMs === undefined ? {} : { untilMs })
    return opened().ledger.hold({ uid, callId, hold, holdsMax })
  }
  const callsOf = async (uid: string) =>
    Object.keys((await opened().profiles.read(uid))?.holds ?? {}).sort()

  test('a hold with a deadline keeps it until its release', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    const hold = holdOf(400, { untilMs: UNTIL_MS })
    const after = profileOf(uid, { credits: 600, holds: { t1: heldAs(1, hold) } })
    const held = await ledger.hold({ uid, callId: 't1', hold, holdsMax: 8 })
    expect(held).toEqual({ kind: 'held', profile: after })
    expect(await profiles.read(uid)).toEqual(after)
    await ledger.release({ uid, callId: 't1', giveBack: true, placement: 1 })
    expect(await profiles.read(uid)).toEqual(profileOf(uid, { credits: 1_000 }))
  })

  test('a profile that is made with the hold of a task has its deadline', async () => {
    const { profiles } = opened()
    const made = profileOf(freshName('u-'), {
      holds: { t1: heldAs(1, holdOf(1, { untilMs: UNTIL_MS })), c1: heldAs(2, holdOf(1)) },
    })
    await profiles.create(made)
    expect(await profiles.read(made.uid)).toEqual(made)
  })

  test('a user has as many tasks as their limit says, and not one more', async () => {
    const uid = await freshUser(opened(), 100)
    for (const callId of ['t1', 't2']) {
      expect((await place(uid, callId, 2, UNTIL_MS)).kind).toBe('held')
    }
    expect(await place(uid, 't3', 2, UNTIL_MS)).toMatchObject({ why: 'too_many_holds' })
    await opened().ledger.release({ uid, callId: 't1', giveBack: false })
    expect((await place(uid, 't3', 2, UNTIL_MS)).kind).toBe('held')
    expect(await callsOf(uid)).toEqual(['t2', 't3'])
  })

  test('tasks take no room of the calls in flight, and calls none of the tasks', async () => {
    const uid = await freshUser(opened(), 100)
    await place(uid, 't1', 2, UNTIL_MS)
    await place(uid, 't2', 2, UNTIL_MS)
    for (const callId of ['c1', 'c2', 'c3']) {
      expect((await place(uid, callId, 3)).kind).toBe('held')
    }
    expect(await place(uid, 'c4', 3)).toMatchObject({ why: 'too_many_holds' })
    await opened().ledger.release({ uid, callId: 't1', giveBack: false })
    expect(await place(uid, 'c4', 3)).toMatchObject({ why: 'too_many_holds' })
    expect((await place(uid, 't3', 2, UNTIL_MS)).kind).toBe('held')
    expect(await callsOf(uid)).toEqual(['c1', 'c2', 'c3', 't2', 't3'])
  })

  test('30 tasks and 30 calls at once place exactly as many of each as there is room for', async () => {
    const uid = await freshUser(opened(), 1_000)
    await atOnce(60, (index) =>
      index % 2 === 0 ? place(uid, `t${index}`, 3, UNTIL_MS) : place(uid, `c${index}`, 5),
    )
    const left = await callsOf(uid)
    expect(left.filter((callId) => callId.startsWith('t'))).toHaveLength(3)
    // A call that met tasks at each of its tries is refused, although there was room: never one too many.
    expect(left.filter((callId) => callId.startsWith('c')).length).toBeLessThanOrEqual(5)
    for (let n = 0; n < 5; n += 1) await place(uid, `late${n}`, 5)
    expect(await callsOf(uid)).toHaveLength(8)
  })

  test('a deadline is moved forward alone, and only of the hold that is meant', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 1_000)
    await place(uid, 't1', 1, UNTIL_MS)
    const until = async () => (await profiles.read(uid))?.holds['t1']?.untilMs
    const of = { uid, callId: 't1', placement: 1 }
    const prolonged = await ledger.prolong({ ...of, untilMs: UNTIL_MS + 5 })
    expect(prolonged?.holds['t1']?.untilMs).toBe(UNTIL_MS + 5)
    // A late copy, and a round that is shorter than the time for answers.
    expect((await ledger.prolong({ ...of, untilMs: UNTIL_MS }))?.uid).toBe(uid)
    expect(await until()).toBe(UNTIL_MS + 5)
    const other = { ...of, placement: 2, untilMs: UNTIL_MS + 9 }
    expect(await ledger.prolong(other)).toBeUndefined()
    expect(await until()).toBe(UNTIL_MS + 5)
    await ledger.release({ uid, callId: 't1', giveBack: true })
    expect(await ledger.prolong({ ...of, untilMs: UNTIL_MS + 9 })).toBeUndefined()
    expect((await place(uid, 't2', 1, UNTIL_MS)).kind).toBe('held')
    expect(await callsOf(uid)).toEqual(['t2'])
  })

  test('a void of a settled task whose hold stands ends its deadline, too', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 1_000)
    await place(uid, 't1', 1, UNTIL_MS)
    await ledger.decide(settledOf(uid, 't1', 1))
    const voided = await ledger.voidSettled({ uid, callId: 't1', reason: 'cancelled', nowMs: 1 })
    expect(voided?.state).toBe('refunded')
    expect((await place(uid, 't2', 1, UNTIL_MS)).kind).toBe('held')
    expect(await callsOf(uid)).toEqual(['t2'])
  })
}
