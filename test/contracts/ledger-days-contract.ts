/**
 * Ledger contract: the write that places a hold counts the call in the day of its key, up to the limit
 * and not past it; nothing gives a counted call back.
 */
import { expect, test } from 'vitest'
import { KEY_DAYS_MAX } from '../../core/ledger/limits.ts'
import { atOnce, freshHash, freshUser, holdOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const THURSDAY = Date.UTC(2026, 10, 26, 23, 59, 59, 999)
const FRIDAY = Date.UTC(2026, 10, 27)

export function describeDays(opened: () => StorePorts): void {
  async function userWith(limit: number, credits = 1_000) {
    const uid = await freshUser(opened(), credits)
    const keyHash = freshHash()
    const set = (to: number | 'none', nowMs = THURSDAY) => {
      const day = to === 'none' ? to : { limit: to, nowMs }
      const listKeys = async () => [keyHash]
      return opened().profiles.changeKeyLimits({ uid, keyHash, change: { day }, listKeys })
    }
    await set(limit)
    const hold = (
      callId: string,
      amount: number,
      more: { heldAtMs?: number; other?: string } = {},
    ) => {
      const { heldAtMs = THURSDAY, other } = more
      const hold = holdOf(amount, { heldAtMs })
      return opened().ledger.hold({ uid, callId, keyHash: other ?? keyHash, holdsMax: 100, hold })
    }
    const read = async () => {
      const profile = await opened().profiles.read(uid)
      return { day: profile?.keyDays?.[keyHash], credits: profile?.credits }
    }
    return { uid, keyHash, set, hold, read }
  }

  test('a key makes the last call of its day, and none past it, at any price', async () => {
    const { hold, read, uid } = await userWith(2)
    expect([(await hold('c1', 5)).kind, (await hold('c2', 0)).kind]).toEqual(['held', 'held'])
    expect(await hold('c3', 5)).toMatchObject({ kind: 'refused', why: 'daily_calls_reached' })
    expect(await hold('c4', 0)).toMatchObject({ kind: 'refused', why: 'daily_calls_reached' })
    expect(await read()).toEqual({ day: { limit: 2, day: '2026-11-26', calls: 2 }, credits: 995 })
    expect(Object.keys((await opened().profiles.read(uid))?.holds ?? {}).toSorted()).toEqual([
      'c1',
      'c2',
    ])
  })

  test('30 holds at once with 7 calls left place exactly 7', async () => {
    const { hold, read } = await userWith(7)
    const answers = await atOnce(30, (index) => hold(`c${index}`, index % 2))
    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(7)
    const refused = answers.filter((a) => a.kind === 'refused' && a.why === 'daily_calls_reached')
    expect(refused).toHaveLength(23)
    expect((await read()).day?.calls).toBe(7)
  })

  test('30 holds at once begin the next day together and count in it', async () => {
    const { hold, read } = await userWith(7)
    await atOnce(7, (index) => hold(`a${index}`, 1))
    const answers = await atOnce(30, (index) => hold(`c${index}`, 1, { heldAtMs: FRIDAY }))
    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(7)
    expect((await read()).day).toEqual({ limit: 7, day: '2026-11-27', calls: 7 })
  })

  test('a hold whose clock is behind counts in the day that has begun', async () => {
    const { hold, read } = await userWith(2)
    await hold('c1', 1, { heldAtMs: FRIDAY })
    await hold('c2', 1, { heldAtMs: THURSDAY })
    expect(await hold('c3', 1)).toMatchObject({ kind: 'refused', why: 'daily_calls_reached' })
    expect((await read()).day).toEqual({ limit: 2, day: '2026-11-27', calls: 2 })
  })

  test('a refund gives the credits back, and the call stays counted', async () => {
    const { hold, read, uid } = await userWith(1)
    await hold('c1', 5)
    await opened().ledger.release({ uid, callId: 'c1', giveBack: true })
    expect(await read()).toMatchObject({ credits: 1_000, day: { calls: 1 } })
    expect(await hold('c2', 5)).toMatchObject({ why: 'daily_calls_reached' })
  })

  test('a hold that is sent again is counted once', async () => {
    const { keyHash, read, uid } = await userWith(5)
    const request = {
      uid,
      callId: 'c1',
      keyHash,
      holdsMax: 9,
      hold: holdOf(5, { heldAtMs: THURSDAY }),
    }
    const answers = [await opened().ledger.hold(request), await opened().ledger.hold(request)]
    expect(answers.map(({ kind }) => kind)).toEqual(['held', 'held'])
    expect((await read()).day?.calls).toBe(1)
  })

  test('a free call is held, settled and released without credits, also for a user with a debt', async () => {
    const { hold, read, uid } = await userWith(1, 0)
    const grant = { uid, grantId: 'g', amount: -5, creditsMin: -5, creditsMax: 9, nowMs: 1 }
    await opened().ledger.grant(grant)
    expect((await hold('c1', 0)).kind).toBe('held')
    await opened().ledger.decide(settledOf(uid, 'c1', 0))
    const after = await opened().ledger.release({
      uid,
      callId: 'c1',
      giveBack: false,
      placement: 1,
    })
    expect([after?.holds, after?.credits]).toEqual([{}, -5])
    expect(await read()).toMatchObject({ credits: -5, day: { calls: 1 } })
  })

  test('a free call is counted in no budget, and a spent budget does not refuse it', async () => {
    const { hold, uid } = await userWith(5)
    const change = { limit: 0, nowMs: THURSDAY }
    await opened().profiles.changeBudget({ uid, change })
    const held = await hold('c1', 0)
    expect([held.kind, held.profile?.holds['c1']?.counted]).toEqual(['held', undefined])
    expect(await hold('c2', 1)).toMatchObject({ why: 'budget_reached' })
  })

  test('another key of the user has no limit', async () => {
    const { hold, read } = await userWith(1)
    await hold('c1', 1)
    const other = freshHash()
    expect((await hold('c2', 1, { other })).kind).toBe('held')
    expect((await read()).day?.calls).toBe(1)
  })

  test('a new limit keeps the calls of the day, and an ended one forgets them', async () => {
    const { hold, read, set } = await userWith(1)
    await hold('c1', 1)
    await set(2)
    expect((await hold('c2', 1)).kind).toBe('held')
    await set(1)
    expect(await hold('c3', 1)).toMatchObject({ why: 'daily_calls_reached' })
    await set('none')
    expect((await read()).day).toBeUndefined()
    expect((await hold('c4', 1)).kind).toBe('held')
    await set(1)
    expect((await read()).day?.calls).toBe(0)
  })

  test('a limit that is set between the read of the profile and the hold binds the hold', async () => {
    const { hold, keyHash, set, uid } = await userWith(5)
    await set('none')
    const seen = await opened().profiles.read(uid)
    await set(1)
    await hold('c1', 1)
    const late = {
      uid,
      callId: 'c2',
      keyHash,
      holdsMax: 9,
      hold: holdOf(1, { heldAtMs: THURSDAY }),
    }
    const answer = await opened().ledger.hold(seen === undefined ? late : { ...late, seen })
    expect(answer).toMatchObject({ kind: 'refused', why: 'daily_calls_reached' })
  })

  test('limits of 20 keys are stored, and not of one more; revoked keys make room', async () => {
    const { profiles } = opened()
    const uid = await freshUser(opened(), 0)
    const keys = Array.from({ length: 21 }, freshHash)
    const change = { day: { limit: 5, nowMs: THURSDAY } }
    const set = (keyHash = '', of = keys) =>
      profiles.changeKeyLimits({ uid, keyHash, change, listKeys: async () => of })
    for (const keyHash of keys.slice(0, KEY_DAYS_MAX))
      expect(await set(keyHash)).toMatchObject({ uid })
    expect(await set(keys[20])).toBe('days_full')
    const left = keys.slice(2)
    expect(await set(keys[20], left)).toMatchObject({ uid })
    const stored = Object.keys((await profiles.read(uid))?.keyDays ?? {})
    expect(stored.sort()).toEqual([...left].sort())
  })

  test('budget and calls per day of a key are set in one write, and each is changed alone', async () => {
    const { keyHash, uid } = await userWith(3)
    const change = (to: Parameters<StorePorts['profiles']['changeKeyLimits']>[0]['change']) =>
      opened().profiles.changeKeyLimits({
        uid,
        keyHash,
        change: to,
        listKeys: async () => [keyHash],
      })
    const both = { budget: { limit: 9, nowMs: THURSDAY }, day: { limit: 4, nowMs: THURSDAY } }
    const expected = {
      keyBudgets: { [keyHash]: { limit: 9, sinceMs: THURSDAY, month: '2026-11', spent: 0 } },
      keyDays: { [keyHash]: { limit: 4, day: '2026-11-26', calls: 0 } },
    }
    expect(await change(both)).toMatchObject(expected)
    expect(await opened().profiles.read(uid)).toMatchObject(expected)
    await change({ budget: 'none' })
    const after = await opened().profiles.read(uid)
    expect([after?.keyBudgets, after?.keyDays]).toEqual([undefined, expected.keyDays])
  })
}
