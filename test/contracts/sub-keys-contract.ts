/**
 * Contract of sub-keys: a key that may issue keys gets at most so many of them, however many ask at
 * once, and a call of a sub-key is counted in the limits of its parent in the same write.
 */
import { describe, expect, test } from 'vitest'
import { atOnce, freshHash, freshUser, holdOf, keyOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const NOW = Date.UTC(2026, 10, 27)
const MAX = 3

export function describeSubKeys(name: string, makePorts: MakePorts): void {
  describe(`${name}: sub-keys`, () => {
    const opened = openedPorts(makePorts)

    async function parentWith(scope: { mayIssueKeys?: true } = { mayIssueKeys: true }) {
      const ports = opened()
      const uid = await freshUser(ports, 1_000)
      const parentHash = freshHash()
      await ports.keys.put(keyOf(parentHash, { uid, scope }))
      return { uid, parentHash }
    }

    const subKeyOf = (of: { uid: string; parentHash: string }, more = {}) =>
      keyOf(`sub:${freshHash()}`, { ...of, ...more })

    const put = (record: ReturnType<typeof subKeyOf>, more = {}) =>
      opened().keys.putSubKey({ record, parentHash: record.parentHash ?? '', max: MAX, ...more })

    test('a sub-key comes back with its parent, alone and in the list', async () => {
      const of = await parentWith()
      const record = subKeyOf(of, { scope: { tools: ['sg_*'] } })
      expect(await put(record)).toBe('put')
      expect(await opened().keys.find(record.keyHash)).toEqual(record)
      expect(await opened().keys.list(of.uid)).toContainEqual(record)
    })

    test('a key that may not issue keys, another user’s and a revoked one get none', async () => {
      const of = await parentWith()
      const plain = subKeyOf(await parentWith({}))
      const foreign = subKeyOf({ ...of, uid: await freshUser(opened(), 1) })
      const revoked = subKeyOf(await parentWith())
      await opened().keys.revoke({ uid: revoked.uid, keyHash: revoked.parentHash ?? '' })
      for (const record of [plain, foreign, revoked]) {
        expect(await put(record)).toBe('not_allowed')
        expect(await opened().keys.find(record.keyHash)).toBeUndefined()
        expect(await opened().keys.list(record.uid)).not.toContainEqual(record)
      }
    })

    test('a sub-key gets no sub-keys', async () => {
      const of = await parentWith()
      const first = subKeyOf(of, { scope: { mayIssueKeys: true } })
      await put(first)
      expect(await put(subKeyOf({ uid: of.uid, parentHash: first.keyHash }))).toBe('not_allowed')
    })

    test('20 at once get exactly 3, and a revoked or expired one makes room', async () => {
      const of = await parentWith()
      const records = Array.from({ length: 20 }, () => subKeyOf(of))
      const answers = await atOnce(20, (index) => put(records[index] ?? subKeyOf(of)))
      expect(answers.filter((answer) => answer === 'put')).toHaveLength(MAX)
      expect(answers.filter((answer) => answer === 'full')).toHaveLength(20 - MAX)
      const listed = (await opened().keys.list(of.uid)).filter(({ parentHash }) => parentHash)
      expect(listed).toHaveLength(MAX)
      const keyHash = listed[0]?.keyHash ?? ''
      await opened().keys.revoke({ uid: of.uid, keyHash })
      expect(await put(subKeyOf(of, { expiresAtMs: 1 }))).toBe('put')
      expect(await put(subKeyOf(of))).toBe('put')
      expect(await put(subKeyOf(of))).toBe('full')
    })

    test('the limits of a sub-key are stored with it, or neither is', async () => {
      const of = await parentWith()
      const record = subKeyOf(of)
      const limits = { budget: { limit: 9, nowMs: NOW }, day: { limit: 4, nowMs: NOW } }
      expect(await put(record, { limits })).toBe('put')
      const profile = await opened().profiles.read(of.uid)
      expect(profile?.keyBudgets?.[record.keyHash]?.limit).toBe(9)
      expect(profile?.keyDays?.[record.keyHash]).toEqual({ limit: 4, day: '2026-11-27', calls: 0 })
      const full = await parentWith()
      const hashes = Array.from({ length: 20 }, freshHash)
      for (const keyHash of hashes) {
        await opened().keys.put(keyOf(keyHash, { uid: full.uid }))
        const change = { day: limits.day }
        const listKeys = async () => hashes
        await opened().profiles.changeKeyLimits({ uid: full.uid, keyHash, change, listKeys })
      }
      const late = subKeyOf(full)
      expect(await put(late, { limits })).toBe('days_full')
      expect(await opened().keys.find(late.keyHash)).toBeUndefined()
    })

    /** A parent with a budget or a day's limit, and two sub-keys without limits. */
    async function family(limits: { budget?: number; day?: number }) {
      const of = await parentWith()
      const children = [subKeyOf(of), subKeyOf(of)]
      for (const record of children) await put(record)
      const { budget, day } = limits
      const change = {
        ...(budget === undefined ? {} : { budget: { limit: budget, nowMs: NOW } }),
        ...(day === undefined ? {} : { day: { limit: day, nowMs: NOW } }),
      }
      const { parentHash, uid } = of
      const listKeys = async () => [parentHash, ...children.map(({ keyHash }) => keyHash)]
      await opened().profiles.changeKeyLimits({ uid, keyHash: parentHash, change, listKeys })
      const hold = (callId: string, amount: number, child: number | 'parent') => {
        const keyHash = child === 'parent' ? parentHash : (children[child]?.keyHash ?? '')
        const by = child === 'parent' ? { keyHash } : { keyHash, parentHash }
        const hold = holdOf(amount, { heldAtMs: NOW })
        return opened().ledger.hold({ uid, callId, holdsMax: 100, hold, ...by })
      }
      return { ...of, hold, read: () => opened().profiles.read(uid) }
    }

    test('30 calls at once of a key and its sub-keys never pass the budget of the key', async () => {
      const { hold, parentHash, read } = await family({ budget: 70 })
      const answers = await atOnce(30, (index) =>
        hold(`c${index}`, 10, index % 3 === 2 ? 'parent' : index % 3),
      )
      expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(7)
      const refused = answers.filter(
        (one) => one.kind === 'refused' && one.why === 'budget_reached',
      )
      expect(refused).toHaveLength(23)
      expect((await read())?.keyBudgets?.[parentHash]?.spent).toBe(70)
    })

    test('30 calls at once of a key and its sub-keys never pass the calls per day of the key', async () => {
      const { hold, parentHash, read } = await family({ day: 7 })
      const answers = await atOnce(30, (index) =>
        hold(`c${index}`, index % 2, index % 3 === 2 ? 'parent' : index % 3),
      )
      expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(7)
      expect((await read())?.keyDays?.[parentHash]?.calls).toBe(7)
    })

    test('a refund gives the amount back to the budget of the parent, and a void too', async () => {
      const { hold, parentHash, read, uid } = await family({ budget: 70 })
      const held = await hold('c1', 10, 0)
      const counted = held.profile?.holds['c1']?.counted
      expect(counted).toEqual({ month: '2026-11', parentHash, parentSinceMs: NOW })
      await opened().ledger.release({ uid, callId: 'c1', giveBack: true, counted })
      expect((await read())?.keyBudgets?.[parentHash]?.spent).toBe(0)
      await hold('c2', 10, 1)
      await opened().ledger.release({ uid, callId: 'c2', giveBack: true })
      expect((await read())?.keyBudgets?.[parentHash]?.spent).toBe(0)
    })
  })
}
