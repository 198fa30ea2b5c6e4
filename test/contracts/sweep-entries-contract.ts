/** Contract of the port SweepMarks. Minutes are random and far apart; the cursor is one per store. */
import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeSweepMarks(name: string, makePorts: MakePorts): void {
  describe(`${name}: sweep marks`, () => {
    const opened = openedPorts(makePorts)

    test('a minute without marks has none', async () => {
      expect(await opened().sweepMarks.list(freshMinute(), 10)).toEqual([])
    })

    test('marks of one minute are listed once each, whatever was marked how often', async () => {
      const { sweepMarks } = opened()
      const minute = freshMinute()
      const uids = [freshName('u-'), freshName('u-'), freshName('u-')]
      for (const uid of [...uids, ...uids]) await sweepMarks.mark({ uid, minute })
      await sweepMarks.mark({ uid: freshName('u-'), minute: minute + 1 })
      expect([...(await sweepMarks.list(minute, 10))].sort()).toEqual([...uids].sort())
    })

    test('lists no more than it was asked for, and the rest once those are removed', async () => {
      const { sweepMarks } = opened()
      const minute = freshMinute()
      const uids = [freshName('u-'), freshName('u-'), freshName('u-')]
      for (const uid of uids) await sweepMarks.mark({ uid, minute })
      const first = await sweepMarks.list(minute, 2)
      expect(first).toHaveLength(2)
      for (const uid of first) await sweepMarks.remove({ uid, minute })
      const rest = await sweepMarks.list(minute, 2)
      expect(rest).toHaveLength(1)
      expect([...first, ...rest].sort()).toEqual([...uids].sort())
    })

    test('removing a mark leaves the other users and the other minutes', async () => {
      const { sweepMarks } = opened()
      const minute = freshMinute()
      const [ada, bob] = [freshName('u-'), freshName('u-')]
      await sweepMarks.mark({ uid: ada, minute })
      await sweepMarks.mark({ uid: bob, minute })
      await sweepMarks.mark({ uid: ada, minute: minute + 1 })
      await sweepMarks.remove({ uid: ada, minute })
      await sweepMarks.remove({ uid: ada, minute })
      expect(await sweepMarks.list(minute, 10)).toEqual([bob])
      expect(await sweepMarks.list(minute + 1, 10)).toEqual([ada])
    })

    test('the cursor moves forward only', async () => {
      const { sweepMarks } = opened()
      const from = ((await sweepMarks.readCursor()) ?? 33_000_000) + 10
      await sweepMarks.writeCursor(from)
      expect(await sweepMarks.readCursor()).toBe(from)
      await sweepMarks.writeCursor(from)
      await sweepMarks.writeCursor(from - 1)
      expect(await sweepMarks.readCursor()).toBe(from)
      await sweepMarks.writeCursor(from + 1)
      expect(await sweepMarks.readCursor()).toBe(from + 1)
    })
  })
}

/** A minute that no other test uses, as a number of today's size. */
function freshMinute(): number {
  return 33_400_000 + randomInt(1_000_000_000) * 3
}
