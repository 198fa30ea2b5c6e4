/** The contract of ReplyStream, third part: how a tail ends, and what it no longer reports. */
import { describe, expect, test } from 'vitest'
import { answered } from './answered.ts'
import { acceptOne, freshHash, freshSession } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'
import { listenTo } from './tail-listener.ts'

export function describeTailEnds(opened: () => StorePorts): void {
  describe('a tail', () => {
    test('ends on an abort, whether requests are pending or not', async () => {
      const ports = opened()
      const [quiet, busy] = [await freshSession(ports), await freshSession(ports)]
      await acceptOne(ports, busy, '1')
      for (const hash of [quiet, busy]) {
        const tail = listenTo(ports, hash)
        await tail.until(() => tail.news.length > 0)
        await tail.stop()
        expect(tail.hasEnded()).toBe(true)
      }
    })

    test('reports nothing when it is aborted before it begins', async () => {
      const ports = opened()
      const tail = ports.replies.tail(await freshSession(ports), AbortSignal.abort())
      const items = []
      for await (const item of tail) items.push(item)
      expect(items).toEqual([])
    })

    test('ends by itself when its session expires', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const tail = listenTo(ports, hash)
      await tail.until(() => tail.news.length > 0)
      ports.clock.advance(75_000 + 3_600_000)
      await tail.until(() => tail.hasEnded())
      expect(tail.seqs()).toEqual([])
    })

    test('does not report a reply an hour after it was written', async () => {
      const ports = opened()
      ports.clock.alignToSecond()
      const { clock } = ports
      const hash = await freshSession(ports, { aliveUntilMs: clock.nowMs() + 7_200_000 })
      await answered(ports, hash, 1)
      clock.advance(3_600_000)
      await answered(ports, hash, 1)
      const tail = listenTo(ports, hash)
      await tail.untilSeq(2)
      await tail.stop()
      expect(tail.seqs()).toEqual([2])
    })

    test('reports nothing of an unknown session until it exists', async () => {
      const ports = opened()
      const hash = freshHash()
      const tail = listenTo(ports, hash)
      await freshSession(ports, { hash })
      await answered(ports, hash, 1)
      await tail.untilSeq(1)
      await tail.stop()
      expect(tail.news[0]).toMatchObject({ kind: 'session', session: { hash } })
    })
  })
}
