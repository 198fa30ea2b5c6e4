/** Part of the contract of Sessions: how many requests one session holds at once. */
import { describe, expect, test } from 'vitest'
import { PENDING_MAX } from '../../core/session/limits.ts'
import { acceptOne, atOnce, freshSession, requestOf, sessionOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

export function describePendingLimit(opened: () => StorePorts): void {
  describe('the limit of 256 requests since the oldest unanswered one', () => {
    test('a session takes the 256th request and refuses the 257th, which leaves no trace', async () => {
      const ports = opened()
      const session = await holding(ports, PENDING_MAX - 1)
      expect(PENDING_MAX).toBe(256)
      expect(await acceptOne(ports, session.hash, 'last')).toBe(256)
      const before = await ports.sessions.read(session.hash)
      const post = { hash: session.hash, nowMs: ports.clock.nowMs() + 5, writeToken: 'm-257' }
      expect(await ports.sessions.accept({ ...post, request: requestOf('past') })).toBe('full')
      expect(await ports.sessions.read(session.hash)).toEqual(before)
    })

    test('the limit of requests holds when 20 come at once for the last 5 places', async () => {
      const ports = opened()
      const { hash } = await holding(ports, PENDING_MAX - 5)
      const answers = await atOnce(20, (index) =>
        ports.sessions.accept({
          hash,
          nowMs: ports.clock.nowMs(),
          writeToken: `m-${index}`,
          request: requestOf(String(index)),
        }),
      )
      const seqs = answers.flatMap((answer) =>
        answer === undefined || answer === 'full' ? [] : [answer.seq],
      )
      expect(seqs.sort((a, b) => a - b)).toEqual([252, 253, 254, 255, 256])
      expect(answers.filter((answer) => answer === 'full')).toHaveLength(15)
      const session = await ports.sessions.read(hash)
      expect([session?.seq, session?.pending.length]).toEqual([256, 256])
    })

    test('the 256th request sent twice is accepted both times, as one', async () => {
      const ports = opened()
      const { hash } = await holding(ports, PENDING_MAX - 1)
      const post = {
        hash,
        nowMs: ports.clock.nowMs(),
        writeToken: 'twice',
        request: requestOf('7'),
      }
      const first = await ports.sessions.accept(post)
      expect(first).toMatchObject({ seq: 256 })
      expect(await ports.sessions.accept(post)).toEqual(first)
    })

    test('a full session still takes notifications, and requests once old ones are forgotten', async () => {
      const ports = opened()
      const { hash } = await holding(ports, PENDING_MAX)
      const nowMs = ports.clock.nowMs() + 3
      const note = { hash, nowMs, writeToken: 'n', request: undefined }
      expect(await ports.sessions.accept(note)).toMatchObject({ seq: 256, lastPostAtMs: nowMs })
      await ports.sessions.forget({ hash, ifBase: 0, base: 1 })
      expect(await acceptOne(ports, hash, 'next')).toBe(257)
    })

    test('a full session that has ended is gone, not full', async () => {
      const ports = opened()
      const { hash } = await holding(ports, PENDING_MAX)
      await ports.sessions.end({ hash, nowMs: ports.clock.nowMs() })
      const post = { hash, nowMs: ports.clock.nowMs(), writeToken: 'm', request: requestOf('1') }
      expect(await ports.sessions.accept(post)).toBeUndefined()
    })
  })
}

/** A session that has so many requests already. */
async function holding(ports: StorePorts, count: number) {
  const pending = Array.from({ length: count }, (_, index) => requestOf(`p-${index + 1}`))
  const session = sessionOf(ports, { seq: count, pending })
  await freshSession(ports, session)
  return session
}
