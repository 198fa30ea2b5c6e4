/** The contract of ReplyStream, second part: one reply a seq, whole, however long. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { REPLY_ITEM_BYTES_MAX } from '../../core/session/limits.ts'
import { answered, bytes, sameBytes } from './answered.ts'
import { acceptOne, freshSession } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'
import { listenTo, sealedOf } from './tail-listener.ts'

export function describeStoredReplies(opened: () => StorePorts): void {
  describe('a stored reply', () => {
    test('the first reply of a seq stays', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '1')
      expect(await ports.replies.append({ hash, seq: 1, sealed: bytes(1) })).toBe('appended')
      expect(await ports.replies.append({ hash, seq: 1, sealed: bytes(2) })).toBe('taken')
      const tail = listenTo(ports, hash)
      await tail.untilSeq(1)
      await tail.stop()
      expect(sealedOf(tail, 1)).toEqual(bytes(1))
    })

    test('a reply of a delivered and forgotten request is taken, and never reported', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      await answered(ports, hash, 2)
      await tail.until(() => tail.seqs().length === 2)
      await ports.sessions.forget({ hash, ifBase: 0, base: 2 })
      expect(await ports.replies.append({ hash, seq: 1, sealed: bytes(9) })).toBe('taken')
      await answered(ports, hash, 1)
      await tail.untilSeq(3)
      await tail.stop()
      expect([...tail.seqs()].sort((a, b) => a - b)).toEqual([1, 2, 3])
    })

    test.each([
      ['empty', 0],
      ['one byte', 1],
      ['of one full item', REPLY_ITEM_BYTES_MAX],
      ['one byte past one item', REPLY_ITEM_BYTES_MAX + 1],
      ['of two full items', 2 * REPLY_ITEM_BYTES_MAX],
      ['of 900 kB', 900_000],
      ['of 1 MiB and its seal', 1_048_576 + 64],
    ])('a reply that is %s comes back whole', async (_what, length) => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '1')
      const sealed = new Uint8Array(randomBytes(length))
      const tail = listenTo(ports, hash)
      expect(await ports.replies.append({ hash, seq: 1, sealed })).toBe('appended')
      await tail.untilSeq(1)
      await tail.stop()
      expect(sameBytes(sealedOf(tail, 1), sealed)).toBe(true)
    })

    test('a single one of many replies of one seq at once is appended, whole', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '1')
      const tail = listenTo(ports, hash)
      const texts = [800_000, 10, 750_000, 360_000].map((length, index) =>
        new Uint8Array(length).fill(index + 1),
      )
      const answers = await Promise.all(
        texts.map((sealed) => ports.replies.append({ hash, seq: 1, sealed })),
      )
      expect([...answers].sort()).toEqual(['appended', 'taken', 'taken', 'taken'])
      await tail.untilSeq(1)
      await answered(ports, hash, 1)
      await tail.untilSeq(2)
      await tail.stop()
      const winner = texts[answers.indexOf('appended')] ?? new Uint8Array()
      expect(sameBytes(sealedOf(tail, 1), winner)).toBe(true)
    })
  })
}
