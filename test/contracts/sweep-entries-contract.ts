/**
 * Contract of the port SweepEntries. Minutes are random and far apart; the cursor is one per store.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeSweepEntries(name: string, makePorts: MakePorts): void {
  describe(`${name}: sweep entries`, () => {
    const opened = openedPorts(makePorts)

    test('a minute without sweep entries has none', async () => {
      expect(await opened().sweepEntries.list(freshMinute(), 10)).toEqual({
        uids: [],
        isWhole: true,
      })
    })

    test('sweep entries of one minute are listed once each, however often they were put', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      const uids = [freshName('u-'), freshName('u-'), freshName('u-')]
      for (const uid of [...uids, ...uids]) await sweepEntries.put({ uid, minute })
      await sweepEntries.put({ uid: freshName('u-'), minute: minute + 1 })
      const listed = await sweepEntries.list(minute, 10)
      expect([...listed.uids].sort()).toEqual([...uids].sort())
    })

    test('a list has no more entries than its limit, and the others once those are removed', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      const uids = [freshName('u-'), freshName('u-'), freshName('u-')]
      for (const uid of uids) await sweepEntries.put({ uid, minute })
      const first = await sweepEntries.list(minute, 2)
      expect(first).toEqual({ uids: [expect.any(String), expect.any(String)], isWhole: false })
      for (const uid of first.uids) await sweepEntries.remove({ uid, minute })
      const rest = await sweepEntries.list(minute, 2)
      expect(rest).toEqual({ uids: [expect.any(String)], isWhole: true })
      expect([...first.uids, ...rest.uids].sort()).toEqual([...uids].sort())
    })

    test('a list of exactly as many entries as its limit is whole', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      const uids = Array.from({ length: 20 }, () => freshName('u-'))
      for (const uid of uids) await sweepEntries.put({ uid, minute })
      const listed = await sweepEntries.list(minute, 20)
      expect([...listed.uids].sort()).toEqual([...uids].sort())
      expect(listed.isWhole).toBe(true)
      expect((await sweepEntries.list(minute, 19)).isWhole).toBe(false)
    })

    test('removing a sweep entry leaves the other users and the other minutes', async () => {
      const { sweepEntries } = opened()
      const minute = freshMinute()
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      await sweepEntries.put({ uid: ada, minute })
      await sweepEntries.put({ uid: bob, minute })
      await sweepEntries.put({ uid: ada, minute: minute + 1 })
      await sweepEntries.remove({ uid: ada, minute })
      await sweepEntries.remove({ uid: ada, minute })
      expect((await sweepEntries.list(minute, 10)).uids).toEqual([bob])
      expect((await sweepEntries.list(minute + 1, 10)).uids).toEqual([ada])
    })

    test('the cursor moves forward only', async () => {
      const { sweepEntries } = opened()
      const from = ((await sweepEntries.readCursor()) ?? 33_000_000) + 10
      await sweepEntries.writeCursor(from)
      expect(await sweepEntries.readCursor()).toBe(from)
      await sweepEntries.writeCursor(from)
      await sweepEntries.writeCursor(from - 1)
      expect(await sweepEntries.readCursor()).toBe(from)
      await sweepEntries.writeCursor(from + 1)
      expect(await sweepEntries.readCursor()).toBe(from + 1)
    })
  })
}

/** A minute that no other test uses, as a number of today's size. */
function freshMinute(): number {
  return 33_400_000 + randomInt(1_000_000_000) * 3
}
