/**
 * Contract of the port SweepEntries. Minutes are random and far apart; the cursor is one per store.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SweepEntries, SweepEntry } from '../../core/ports/ledger.ts'
import { freshHash, freshName } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

export function describeSweepEntries(name: string, makePorts: MakePorts): void {
  describe(`${name}: sweep entries`, () => {
    const opened = openedPorts(makePorts)

    test('a minute without sweep entries has none', async () => {
      const page = { after: '', limit: 10 }
      expect(await opened().sweepEntries.list(freshMinute(), page)).toEqual({
        entries: [],
        next: undefined,
      })
    })

    test('sweep entries of one minute are listed once each, however often they were put', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      const uids = [freshName('u-'), freshName('u-'), freshName('u-')]
      for (const uid of [...uids, ...uids]) await sweepEntries.put({ uid, minute })
      await sweepEntries.put({ uid: freshName('u-'), minute: minute + 1 })
      expect(await listed(sweepEntries, minute)).toEqual([...uids].sort())
    })

    test('a count for a user enters them in its minute, and a count for nobody enters nobody', async () => {
      const { rateCounters, sweepEntries } = opened()
      const minute = freshMinute()
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      const ofAda = { keyHash: freshHash(), minute }
      expect(await rateCounters.count(ofAda)).toBe(1)
      expect(await listed(sweepEntries, minute)).toEqual([])
      expect(await rateCounters.count({ ...ofAda, uid: ada })).toBe(2)
      expect(await rateCounters.count(ofAda)).toBe(3)
      await rateCounters.count({ keyHash: freshHash(), minute, uid: bob })
      await rateCounters.count({ keyHash: freshHash(), minute: minute + 1, uid: freshName('u-') })
      expect(await listed(sweepEntries, minute)).toEqual([ada, bob].sort())
    })

    test('an entry that was put is no count', async () => {
      const { rateCounters, sweepEntries } = opened()
      const minute = freshMinute()
      const keyHash = freshHash()
      await sweepEntries.put({ uid: keyHash, minute })
      expect(await rateCounters.read({ keyHash, minute })).toBe(0)
      expect(await rateCounters.count({ keyHash, minute })).toBe(1)
    })

    test.each([1, 8, 40, 1_000])(
      'pages of about %i entries bring each entry once, in the order of their places',
      async (limit) => {
        const { sweepEntries } = opened()
        const minute = freshMinute()
        const uids = await enterMany(opened(), minute)
        const found = await allPages(sweepEntries, minute, limit)
        expect(found.map(({ uid }) => uid).sort()).toEqual([...uids].sort())
        const places = found.map(({ at }) => at)
        expect(places).toEqual([...places].sort())
      },
    )

    test('a list goes on after the place of any entry', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      for (let n = 0; n < 10; n += 1) await sweepEntries.put({ uid: freshName('u-'), minute })
      const { entries } = await sweepEntries.list(minute, { after: '', limit: 1_000 })
      for (const [index, { at }] of entries.entries()) {
        const rest = await sweepEntries.list(minute, { after: at, limit: 1_000 })
        expect(rest.entries).toEqual(entries.slice(index + 1))
      }
    })

    test.each([1, 8, 1_000])(
      'users that were entered are listed without those who were counted, in pages of about %i',
      async (limit) => {
        const { rateCounters, sweepEntries } = opened()
        const minute = freshMinute()
        const uids = ['u', 'u-1', 'u1', '0', '_', '-', 'Z', 'z'.repeat(64)]
        for (const uid of uids) {
          await sweepEntries.put({ uid, minute })
          for (const first of 'uvz') {
            await rateCounters.count({ keyHash: first + freshHash().slice(1), minute, uid })
          }
        }
        const found: string[] = []
        let after: string | undefined = ''
        while (after !== undefined) {
          const page = await sweepEntries.list(minute, { after, limit, entered: true })
          found.push(...page.entries.map(({ uid }) => uid))
          after = page.next
        }
        expect(found.sort()).toEqual(uids.sort())
      },
    )

    test('the cursor moves forward only, within a minute and to later ones', async () => {
      const { sweepEntries } = opened()
      const from = ((await sweepEntries.readCursor())?.minute ?? 33_000_000) + 10
      const steps = [
        { minute: from, after: '' },
        { minute: from, after: 'a' },
        { minute: from, after: 'b' },
        { minute: from + 1, after: '' },
      ]
      for (const [at, step] of steps.entries()) {
        await sweepEntries.writeCursor(step)
        for (const earlier of steps.slice(0, at)) await sweepEntries.writeCursor(earlier)
        expect(await sweepEntries.readCursor()).toEqual(step)
      }
    })

    test('the cursor keeps the minutes that were visited ahead of it, until it is written without', async () => {
      const { sweepEntries } = opened()
      const minute = ((await sweepEntries.readCursor())?.minute ?? 33_000_000) + 10
      const ahead = { from: minute + 5, to: minute + 7 }
      await sweepEntries.writeCursor({ minute, after: 'a', ahead })
      expect(await sweepEntries.readCursor()).toEqual({ minute, after: 'a', ahead })
      const longer = { from: minute + 5, to: minute + 8 }
      await sweepEntries.writeCursor({ minute, after: 'a', ahead: longer })
      expect(await sweepEntries.readCursor()).toEqual({ minute, after: 'a', ahead: longer })
      await sweepEntries.writeCursor({ minute: minute + 9, after: '' })
      expect(await sweepEntries.readCursor()).toEqual({ minute: minute + 9, after: '' })
    })
  })
}

/** 60 users, put or counted, beside 20 counts for nobody. */
async function enterMany(
  { rateCounters, sweepEntries }: Pick<StorePorts, 'rateCounters' | 'sweepEntries'>,
  minute: number,
): Promise<readonly string[]> {
  const uids = Array.from({ length: 60 }, () => freshName('u-'))
  for (const [at, uid] of uids.entries()) {
    if (at % 2 === 0) await sweepEntries.put({ uid, minute })
    else await rateCounters.count({ keyHash: freshHash(), minute, uid })
    if (at % 3 === 0) await rateCounters.count({ keyHash: freshHash(), minute })
  }
  return uids
}

async function allPages(
  sweepEntries: SweepEntries,
  minute: number,
  limit: number,
): Promise<readonly SweepEntry[]> {
  const found: SweepEntry[] = []
  let after: string | undefined = ''
  for (let pages = 0; after !== undefined; pages += 1) {
    expect(pages).toBeLessThan(100)
    const page = await sweepEntries.list(minute, { after, limit })
    expect(page.next === undefined || page.next > after).toBe(true)
    found.push(...page.entries)
    after = page.next
  }
  return found
}

async function listed(sweepEntries: SweepEntries, minute: number): Promise<readonly string[]> {
  const { entries } = await sweepEntries.list(minute, { after: '', limit: 1_000 })
  return entries.map(({ uid }) => uid).sort()
}

/** A minute that no other test uses, as a number of today's size. */
function freshMinute(): number {
  return 33_400_000 + randomInt(1_000_000_000) * 3
}
