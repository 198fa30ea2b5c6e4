/**
 * Ledger contract: a hold is counted in the budgets of its user and its key in the write that places it,
 * up to the limit and not past it; what is given back leaves the month that counted it, and no other.
 */

import { describe, expect, test } from 'vitest'
import type { Budget } from '../../core/ledger/ledger.ts'
import { KEY_BUDGETS_MAX } from '../../core/ledger/limits.ts'
import { atOnce, freshHash, freshUser, holdOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const OCTOBER = Date.UTC(2026, 9, 31, 23, 59, 59, 999)
const NOVEMBER = Date.UTC(2026, 10, 1)
const SET_AT = Date.UTC(2026, 9, 5)

export function describeBudgets(opened: () => StorePorts): void {
  async function userWith(limit: number, keyLimit?: number, credits = 1_000) {
    const ports = opened()
    const uid = await freshUser(ports, credits)
    await ports.profiles.changeBudget({ uid, change: { limit, nowMs: SET_AT } })
    const keyHash = freshHash()
    if (keyLimit !== undefined) await ofKey(uid, keyHash, keyLimit)
    return { uid, keyHash, ...actor(uid, keyHash) }
  }

  const ofKey = (uid: string, keyHash: string, limit: number | 'none', nowMs = SET_AT) => {
    const change = limit === 'none' ? limit : { limit, nowMs }
    return opened().profiles.changeKeyLimits({
      uid,
      keyHash,
      change: { budget: change },
      listKeys: async () => [keyHash],
    })
  }

  /** Places and ends calls of the user, as execute does. */
  function actor(uid: string, keyHash: string) {
    const { ledger, profiles } = opened()
    const hold = (callId: string, amount: number, heldAtMs = OCTOBER) =>
      ledger.hold({ uid, callId, keyHash, holdsMax: 100, hold: holdOf(amount, { heldAtMs }) })
    const settle = async (callId: string) => {
      const held = (await profiles.read(uid))?.holds[callId]
      if (held === undefined) throw new Error('no hold')
      const { amount, counted, placement } = held
      await ledger.decide({ ...settledOf(uid, callId, amount), placement, counted })
      await ledger.release({ uid, callId, giveBack: false, placement, counted })
    }
    const budget = async (): Promise<Budget | undefined> => (await profiles.read(uid))?.budget
    const keyBudget = async () => (await profiles.read(uid))?.keyBudgets?.[keyHash]
    return { hold, settle, budget, keyBudget }
  }

  test('a hold takes the last micro-credit of the budget, and none past it', async () => {
    const user = await userWith(500)
    expect(await user.hold('c1', 501)).toMatchObject({ kind: 'refused', why: 'budget_reached' })
    expect(await user.budget()).toEqual({
      limit: 500,
      sinceMs: SET_AT,
      month: '2026-10',
      spent: 0,
    })
    expect((await user.hold('c2', 500)).kind).toBe('held')
    expect((await user.budget())?.spent).toBe(500)
    expect(await user.hold('c3', 1)).toMatchObject({ kind: 'refused', why: 'budget_reached' })
    expect((await user.hold('c4', 0)).kind).toBe('held')
  })

  test('a budget of 0 refuses every price', async () => {
    const user = await userWith(0)
    expect(await user.hold('c1', 1)).toMatchObject({ kind: 'refused', why: 'budget_reached' })
  })

  test('a refusal names missing credits before a budget', async () => {
    const user = await userWith(0, undefined, 5)
    expect(await user.hold('c1', 6)).toMatchObject({ why: 'insufficient_credits' })
    expect(await user.hold('c1', 5)).toMatchObject({ why: 'budget_reached' })
  })

  test('50 holds at once at the last credits of the budget place exactly as many as fit', async () => {
    const user = await userWith(750)
    const answers = await atOnce(50, (index) => user.hold(`c${index}`, 100))
    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(7)
    expect(answers.filter((a) => a.kind === 'refused' && a.why === 'budget_reached')).toHaveLength(
      43,
    )
    expect((await user.budget())?.spent).toBe(700)
  })

  test('50 holds at once at the beginning of a month place exactly as many as fit', async () => {
    const user = await userWith(750, 650)
    await user.hold('before', 600)
    await user.settle('before')
    const answers = await atOnce(50, (index) => user.hold(`c${index}`, 100, NOVEMBER))
    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(4)
    // 400 credits are left; each month's spending begins at 0.
    expect(await user.budget()).toMatchObject({ month: '2026-11', spent: 400 })
    expect(await user.keyBudget()).toMatchObject({ month: '2026-11', spent: 400 })
  })

  test("a key's budget binds its own calls alone, and the user's budget binds all", async () => {
    const user = await userWith(500, 200)
    const other = actor(user.uid, freshHash())
    expect((await user.hold('c1', 200)).kind).toBe('held')
    expect(await user.hold('c2', 1)).toMatchObject({ why: 'budget_reached' })
    expect((await other.hold('c3', 300)).kind).toBe('held')
    expect(await other.hold('c4', 1)).toMatchObject({ why: 'budget_reached' })
    expect([(await user.budget())?.spent, (await user.keyBudget())?.spent]).toEqual([500, 200])
  })

  test('a key may have a budget without its user having one', async () => {
    const uid = await freshUser(opened(), 1_000)
    const keyHash = freshHash()
    await ofKey(uid, keyHash, 100)
    const user = actor(uid, keyHash)
    expect(await user.hold('c1', 101)).toMatchObject({ why: 'budget_reached' })
    expect((await user.hold('c2', 100)).kind).toBe('held')
    expect((await opened().ledger.release({ uid, callId: 'c2', giveBack: true }))?.credits).toBe(
      1_000,
    )
    expect((await user.keyBudget())?.spent).toBe(0)
  })

  test.each(['with its budgets known', 'without'])(
    'a refund in the same month gives back to the budget, %s',
    async (how) => {
      const user = await userWith(500, 400)
      await user.hold('c1', 300)
      const profile = await opened().profiles.read(user.uid)
      const { counted, placement } = profile?.holds['c1'] ?? { counted: undefined, placement: 0 }
      expect(counted).toEqual({
        month: '2026-10',
        userSinceMs: SET_AT,
        keyHash: user.keyHash,
        keySinceMs: SET_AT,
      })
      const known = how === 'without' ? {} : { counted }
      const release = { uid: user.uid, callId: 'c1', giveBack: true, placement, ...known }
      expect(await opened().ledger.release(release)).toMatchObject({
        credits: 1_000,
        budget: { spent: 0 },
      })
      expect((await opened().ledger.release(release))?.credits).toBe(1_000)
      expect([(await user.budget())?.spent, (await user.keyBudget())?.spent]).toEqual([0, 0])
    },
  )

  test('a settled call stays spent in the budget', async () => {
    const user = await userWith(500)
    await user.hold('c1', 300)
    await user.settle('c1')
    expect((await user.budget())?.spent).toBe(300)
  })

  describe('the end of a month', () => {
    test('a new month begins at 0, and a refund of the old one does not touch it', async () => {
      const user = await userWith(500, 500)
      await user.hold('old', 400)
      await user.hold('new', 300, NOVEMBER)
      expect(await user.budget()).toMatchObject({ month: '2026-11', spent: 300 })
      const { counted } = (await opened().profiles.read(user.uid))?.holds['old'] ?? {}
      const refund = { uid: user.uid, callId: 'old', giveBack: true, counted }
      expect((await opened().ledger.release(refund))?.credits).toBe(700)
      expect(await user.budget()).toMatchObject({ month: '2026-11', spent: 300 })
      expect(await user.keyBudget()).toMatchObject({ month: '2026-11', spent: 300 })
    })

    test('a hold whose clock is behind counts in the new month, and its refund as well', async () => {
      const user = await userWith(500)
      await user.hold('new', 300, NOVEMBER)
      expect((await user.hold('late', 200, OCTOBER)).kind).toBe('held')
      expect(await user.hold('later', 1, OCTOBER)).toMatchObject({ why: 'budget_reached' })
      expect(await user.budget()).toMatchObject({ month: '2026-11', spent: 500 })
      await opened().ledger.release({ uid: user.uid, callId: 'late', giveBack: true })
      expect(await user.budget()).toMatchObject({ month: '2026-11', spent: 300 })
    })

    test('a price over the limit is refused, and the month is not begun', async () => {
      const user = await userWith(500)
      await user.hold('c1', 100)
      expect(await user.hold('c2', 501, NOVEMBER)).toMatchObject({ why: 'budget_reached' })
      expect(await user.budget()).toMatchObject({ month: '2026-10', spent: 100 })
      expect((await user.hold('c3', 500, NOVEMBER)).kind).toBe('held')
    })
  })

  describe('a void of a settled call', () => {
    const voided = (uid: string) =>
      opened().ledger.voidSettled({ uid, callId: 'c1', reason: 'void', nowMs: NOVEMBER })

    test("a void gives a settled call's price back to the budget of the same month, whether its hold was released or not", async () => {
      const user = await userWith(500, 500)
      await user.hold('c1', 300)
      await user.settle('c1')
      expect((await voided(user.uid))?.state).toBe('refunded')
      expect([(await user.budget())?.spent, (await user.keyBudget())?.spent]).toEqual([0, 0])
      expect((await voided(user.uid))?.state).toBe('refunded')
      expect((await user.budget())?.spent).toBe(0)

      const { counted, placement } = heldIn(await user.hold('c2', 200))
      const settled = { ...settledOf(user.uid, 'c2', 200), placement, counted }
      await opened().ledger.decide(settled)
      const request = { uid: user.uid, callId: 'c2', reason: 'void', nowMs: NOVEMBER } as const
      await opened().ledger.voidSettled(request)
      expect(await opened().profiles.read(user.uid)).toMatchObject({
        credits: 1_000,
        holds: {},
        budget: { spent: 0 },
      })
    })

    test('after the month does not touch the new month', async () => {
      const user = await userWith(500)
      await user.hold('c1', 300)
      await user.settle('c1')
      await user.hold('c2', 50, NOVEMBER)
      expect((await voided(user.uid))?.state).toBe('refunded')
      expect(await opened().profiles.read(user.uid)).toMatchObject({
        credits: 950,
        budget: { month: '2026-11', spent: 50 },
      })
    })
  })

  const heldIn = (answer: Awaited<ReturnType<StorePorts['ledger']['hold']>>) => {
    const hold = answer.kind === 'held' ? answer.profile.holds['c2'] : undefined
    if (hold === undefined) throw new Error('not held')
    return hold
  }

  describe('a changed budget', () => {
    test('keeps the amount that the month has spent, and may be lower', async () => {
      const { profiles } = opened()
      const user = await userWith(500)
      await user.hold('c1', 400)
      const to = { limit: 300, nowMs: NOVEMBER }
      expect((await profiles.changeBudget({ uid: user.uid, change: to }))?.budget).toEqual({
        limit: 300,
        sinceMs: SET_AT,
        month: '2026-10',
        spent: 400,
      })
      expect(await user.hold('c2', 1)).toMatchObject({ why: 'budget_reached' })
      await profiles.changeBudget({ uid: user.uid, change: { ...to, limit: 401 } })
      expect((await user.hold('c2', 1)).kind).toBe('held')
    })

    test('a budget that is taken away binds no call', async () => {
      const { profiles } = opened()
      const user = await userWith(0)
      const changed = await profiles.changeBudget({ uid: user.uid, change: 'none' })
      expect(changed ?? {}).not.toHaveProperty('budget')
      expect((await user.hold('c1', 1)).kind).toBe('held')
      const anew = { uid: user.uid, change: { limit: 1, nowMs: SET_AT } }
      expect(await profiles.changeBudget(anew)).toMatchObject({ budget: { limit: 1, spent: 0 } })
      await profiles.change(user.uid, { tier: 'pro' })
      expect(await profiles.read(user.uid)).toMatchObject({ tier: 'pro', budget: { limit: 1 } })
    })

    test('does not get back an amount that an earlier budget, or none, had counted', async () => {
      const { ledger, profiles } = opened()
      const user = await userWith(500)
      await user.hold('counted', 200)
      await profiles.changeBudget({ uid: user.uid, change: 'none' })
      await user.hold('uncounted', 100)
      await profiles.changeBudget({ uid: user.uid, change: { limit: 500, nowMs: SET_AT + 1 } })
      await user.hold('now', 50)
      for (const callId of ['counted', 'uncounted']) {
        await ledger.release({ uid: user.uid, callId, giveBack: true })
      }
      expect(await profiles.read(user.uid)).toMatchObject({ credits: 950, budget: { spent: 50 } })
    })

    test('a budget of an unknown user is not stored', async () => {
      const { profiles } = opened()
      const budget = { limit: 1, nowMs: 1 }
      expect(await profiles.changeBudget({ uid: 'nobody', change: budget })).toBeUndefined()
      expect(await ofKey('nobody', freshHash(), 1)).toBeUndefined()
    })

    test('a budget changed beside 20 holds at once loses none of them', async () => {
      const user = await userWith(500)
      await Promise.all([
        atOnce(20, (index) => user.hold(`c${index}`, 10)),
        opened().profiles.changeBudget({ uid: user.uid, change: { limit: 499, nowMs: SET_AT } }),
      ])
      expect(await user.budget()).toMatchObject({ limit: 499, spent: 200 })
    })
  })

  describe('budgets of keys', () => {
    test('budgets are stored for 20 keys of a user, and not for one more; revoked keys make room', async () => {
      const { profiles } = opened()
      const uid = await freshUser(opened(), 0)
      const keys = Array.from({ length: 21 }, freshHash)
      const change = { limit: 5, nowMs: SET_AT }
      const set = (keyHash = '', of = keys) =>
        profiles.changeKeyLimits({
          uid,
          keyHash,
          change: { budget: change },
          listKeys: async () => of,
        })
      for (const keyHash of keys.slice(0, 20)) expect(await set(keyHash)).toMatchObject({ uid })
      expect(await set(keys[20])).toBe('budgets_full')
      expect(await set(keys[3])).toMatchObject({ uid })
      const left = keys.slice(2)
      expect(await set(keys[20], left)).toMatchObject({ uid })
      const standing = Object.keys((await profiles.read(uid))?.keyBudgets ?? {})
      expect(standing.sort()).toEqual([...left].sort())
    })

    test('the last budget of a key leaves none behind when it ends', async () => {
      const { profiles } = opened()
      const uid = await freshUser(opened(), 0)
      const keyHash = freshHash()
      expect((await ofKey(uid, keyHash, 'none')) ?? {}).not.toHaveProperty('keyBudgets')
      await ofKey(uid, keyHash, 5)
      expect((await ofKey(uid, keyHash, 'none')) ?? {}).not.toHaveProperty('keyBudgets')
      await ofKey(uid, keyHash, 7)
      expect((await profiles.read(uid))?.keyBudgets?.[keyHash]?.limit).toBe(7)
    })

    test("a new limit of a key's budget keeps the amount spent", async () => {
      const user = await userWith(1_000, 100)
      await user.hold('c1', 80)
      await ofKey(user.uid, user.keyHash, 90, NOVEMBER)
      expect(await user.keyBudget()).toEqual({
        limit: 90,
        sinceMs: SET_AT,
        month: '2026-10',
        spent: 80,
      })
    })

    test('the budgets of 20 keys that are set at once are all stored', async () => {
      const { profiles } = opened()
      const uid = await freshUser(opened(), 0)
      const keys = Array.from({ length: KEY_BUDGETS_MAX }, freshHash)
      const change = { limit: 5, nowMs: SET_AT }
      await Promise.all(
        keys.map((keyHash) =>
          profiles.changeKeyLimits({
            uid,
            keyHash,
            change: { budget: change },
            listKeys: async () => keys,
          }),
        ),
      )
      const standing = Object.keys((await profiles.read(uid))?.keyBudgets ?? {})
      expect(standing.sort()).toEqual([...keys].sort())
    })
  })
}
