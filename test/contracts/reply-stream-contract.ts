/**
 * Contract of the port ReplyStream: each reply is reported exactly once, whichever process wrote
 * it, whenever, and however long it is. That no reply came twice shows when a later one arrives,
 * not by waiting.
 */
import { describe, expect, test } from 'vitest'
import { REPLY_ITEM_BYTES_MAX } from '../../core/session/limits.ts'
import { answered, bytes } from './answered.ts'
import { acceptOne, atOnce, freshSession } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'
import { describeStoredReplies } from './stored-replies-contract.ts'
import { describeTailEnds } from './tail-ends-contract.ts'
import { listenTo, sealedOf } from './tail-listener.ts'

export function describeReplyStream(name: string, makePorts: MakePorts): void {
  describe(`${name}: reply stream`, () => {
    const opened = openedPorts(makePorts)

    test('the session comes first, then each change of it', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '"first"')
      await ports.replies.append({ hash, seq: 1, sealed: bytes(1) })
      const tail = listenTo(ports, hash)
      await tail.untilSeq(1)
      expect(tail.news[0]).toMatchObject({ kind: 'session', session: { hash, seq: 1 } })
      ports.clock.advance(1_000)
      const endedAtMs = ports.clock.nowMs()
      await ports.sessions.end({ hash, nowMs: endedAtMs })
      await tail.until(() =>
        tail.news.some((item) => item.kind === 'session' && item.session.endedAtMs === endedAtMs),
      )
      await tail.stop()
    })

    test('a quiet session is reported once', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      await tail.until(() => tail.news.length > 0)
      await acceptOne(ports, hash, '1')
      await ports.replies.append({ hash, seq: 1, sealed: bytes(1) })
      await tail.untilSeq(1)
      await tail.stop()
      expect(tail.news.map((item) => item.kind)).toEqual(['session', 'session', 'reply'])
    })

    test('a reply written before the tail began is reported, once', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await answered(ports, hash, 3)
      const tail = listenTo(ports, hash)
      await tail.untilSeq(3)
      await answered(ports, hash, 1)
      await tail.untilSeq(4)
      await tail.stop()
      expect([...tail.seqs()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4])
    })

    test('more replies than are read at a time all come, once each, long ones among them', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const long = new Set([1, 2, 15, 16, 17, 44, 45, 46])
      const sealed = (seq: number) =>
        long.has(seq) ? new Uint8Array(2.5 * REPLY_ITEM_BYTES_MAX).fill(seq) : bytes(seq)
      for (let seq = 1; seq <= 120; seq += 1) {
        await acceptOne(ports, hash, String(seq))
        await ports.replies.append({ hash, seq, sealed: sealed(seq) })
      }
      const tail = listenTo(ports, hash)
      await tail.until(() => tail.seqs().length >= 120)
      await answered(ports, hash, 1)
      await tail.untilSeq(121)
      await tail.stop()
      expect(tail.seqs()).toEqual(Array.from({ length: 121 }, (_, index) => index + 1))
      for (let seq = 1; seq <= 120; seq += 1) {
        expect(Buffer.compare(sealedOf(tail, seq) ?? bytes(0), sealed(seq))).toBe(0)
      }
    })

    test('replies out of order are reported as they come, each once', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      for (const id of ['1', '2', '3', '4']) await acceptOne(ports, hash, id)
      const tail = listenTo(ports, hash)
      for (const seq of [3, 1, 4, 2]) {
        await ports.replies.append({ hash, seq, sealed: bytes(seq) })
        await tail.untilSeq(seq)
      }
      await tail.stop()
      expect(tail.seqs()).toEqual([3, 1, 4, 2])
      for (const seq of [1, 2, 3, 4]) expect(sealedOf(tail, seq)).toEqual(bytes(seq))
    })

    test('20 writers at once have each reply reported once, with its own bytes', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      for (let id = 1; id <= 20; id += 1) await acceptOne(ports, hash, String(id))
      const order = [13, 2, 20, 7, 1, 19, 4, 11, 16, 9, 3, 18, 6, 14, 5, 10, 17, 8, 15, 12]
      await Promise.all(order.map((seq) => ports.replies.append({ hash, seq, sealed: bytes(seq) })))
      await tail.until(() => tail.seqs().length >= 20)
      await answered(ports, hash, 1)
      await tail.untilSeq(21)
      await tail.stop()
      expect([...tail.seqs()].sort((a, b) => a - b)).toEqual([...order, 21].sort((a, b) => a - b))
      for (const seq of order) expect(sealedOf(tail, seq)).toEqual(bytes(seq))
    })

    test('a request that is never answered holds back no later reply', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      for (const id of ['1', '2', '3']) await acceptOne(ports, hash, id)
      await ports.replies.append({ hash, seq: 3, sealed: bytes(3) })
      await tail.untilSeq(3)
      await tail.stop()
      expect(tail.seqs()).toEqual([3])
    })

    test('replies keep coming after delivered requests were forgotten', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      await answered(ports, hash, 3)
      await tail.until(() => tail.seqs().length === 3)
      await ports.sessions.forget({ hash, ifBase: 0, base: 3 })
      await answered(ports, hash, 1)
      await tail.untilSeq(4)
      await tail.stop()
      expect([...tail.seqs()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4])
    })

    test("two sessions never see each other's replies", async () => {
      const ports = opened()
      const [ada, bob] = [await freshSession(ports), await freshSession(ports)]
      const [adaTail, bobTail] = [listenTo(ports, ada), listenTo(ports, bob)]
      await atOnce(5, async (index) => {
        await acceptOne(ports, ada, String(index))
        await acceptOne(ports, bob, String(index))
      })
      await atOnce(5, async (index) => {
        await ports.replies.append({ hash: ada, seq: index + 1, sealed: bytes(10 + index) })
        await ports.replies.append({ hash: bob, seq: index + 1, sealed: bytes(20 + index) })
      })
      await Promise.all([adaTail, bobTail].map((tail) => tail.until(() => tail.seqs().length >= 5)))
      await Promise.all([adaTail.stop(), bobTail.stop()])
      for (let index = 0; index < 5; index += 1) {
        expect(sealedOf(adaTail, index + 1)).toEqual(bytes(10 + index))
        expect(sealedOf(bobTail, index + 1)).toEqual(bytes(20 + index))
      }
      const sessions = (tail: typeof adaTail) =>
        tail.news.flatMap((item) => (item.kind === 'session' ? [item.session.hash] : []))
      expect(new Set(sessions(adaTail))).toEqual(new Set([ada]))
      expect(new Set(sessions(bobTail))).toEqual(new Set([bob]))
    })

    describeStoredReplies(opened)
    describeTailEnds(opened)
  })
}
