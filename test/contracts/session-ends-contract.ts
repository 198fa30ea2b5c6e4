/** The second half of the contract of Sessions: forgetting, ending and expiring. */
import { describe, expect, test } from 'vitest'
import { acceptOne, freshHash, freshSession, requestOf, sessionOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const HOUR_MS = 3_600_000

export function describeSessionEnds(opened: () => StorePorts): void {
  describe('forgotten requests', () => {
    test('forgetting drops the requests up to the new base and keeps the count', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      for (const id of ['1', '2', '3']) await acceptOne(ports, hash, id)
      await ports.sessions.forget({ hash, ifBase: 0, base: 2 })
      const session = await ports.sessions.read(hash)
      expect([session?.seq, session?.base]).toEqual([3, 2])
      expect(session?.pending.map((request) => request.id)).toEqual(['3'])
      expect(await acceptOne(ports, hash, '4')).toBe(4)
    })

    test('forgetting can drop everything, and be repeated', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      for (const id of ['1', '2']) await acceptOne(ports, hash, id)
      await ports.sessions.forget({ hash, ifBase: 0, base: 2 })
      await ports.sessions.forget({ hash, ifBase: 0, base: 2 })
      const session = await ports.sessions.read(hash)
      expect([session?.seq, session?.base, session?.pending]).toEqual([2, 2, []])
    })

    test('forgetting changes nothing from a base that is not the stored one', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      for (const id of ['1', '2', '3']) await acceptOne(ports, hash, id)
      await ports.sessions.forget({ hash, ifBase: 1, base: 2 })
      expect((await ports.sessions.read(hash))?.base).toBe(0)
      await ports.sessions.forget({ hash, ifBase: 0, base: 1 })
      await ports.sessions.forget({ hash, ifBase: 0, base: 3 })
      const session = await ports.sessions.read(hash)
      expect(session?.base).toBe(1)
      expect(session?.pending.map((request) => request.id)).toEqual(['2', '3'])
    })

    test('a repeated write token is still known after older requests were forgotten', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '1')
      const post = { hash, nowMs: ports.clock.nowMs(), writeToken: 'mine', request: requestOf('2') }
      await ports.sessions.accept(post)
      await acceptOne(ports, hash, '3')
      await ports.sessions.forget({ hash, ifBase: 0, base: 1 })
      expect(await ports.sessions.accept(post)).toMatchObject({ seq: 2 })
      expect((await ports.sessions.read(hash))?.seq).toBe(3)
    })

    test('forgetting makes no session of an unknown one', async () => {
      const { sessions } = opened()
      const hash = freshHash()
      await sessions.forget({ hash, ifBase: 0, base: 0 })
      expect(await sessions.read(hash)).toBeUndefined()
    })
  })

  describe('the end of a session', () => {
    test('an end refuses every later POST and says when it came', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const nowMs = ports.clock.nowMs() + 9
      expect(await ports.sessions.end({ hash, nowMs })).toBe(true)
      const post = { hash, nowMs, writeToken: 'm' }
      expect(await ports.sessions.accept({ ...post, request: requestOf('1') })).toBeUndefined()
      expect(await ports.sessions.accept({ ...post, request: undefined })).toBeUndefined()
      const session = await ports.sessions.read(hash)
      expect([session?.endedAtMs, session?.seq]).toEqual([nowMs, 0])
    })

    test('a second end is true too and leaves the first time', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const nowMs = ports.clock.nowMs()
      await ports.sessions.end({ hash, nowMs })
      expect(await ports.sessions.end({ hash, nowMs: nowMs + 5 })).toBe(true)
      expect((await ports.sessions.read(hash))?.endedAtMs).toBe(nowMs)
    })

    test('an end with a seq comes only if no newer request has come', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await acceptOne(ports, hash, '1')
      const nowMs = ports.clock.nowMs()
      expect(await ports.sessions.end({ hash, nowMs, ifSeq: 0 })).toBe(false)
      expect((await ports.sessions.read(hash))?.endedAtMs).toBeUndefined()
      expect(await acceptOne(ports, hash, '2')).toBe(2)
      expect(await ports.sessions.end({ hash, nowMs, ifSeq: 2 })).toBe(true)
      expect((await ports.sessions.read(hash))?.endedAtMs).toBe(nowMs)
      expect(await ports.sessions.end({ hash, nowMs, ifSeq: 1 })).toBe(true)
    })

    test('an accept and an end at once refuse one of the two', async () => {
      const ports = opened()
      for (let round = 0; round < 10; round += 1) {
        const hash = await freshSession(ports)
        const nowMs = ports.clock.nowMs()
        const [accepted, ended] = await Promise.all([
          ports.sessions.accept({ hash, nowMs, writeToken: 'm', request: requestOf('1') }),
          ports.sessions.end({ hash, nowMs, ifSeq: 0 }),
        ])
        expect(ended).toBe(accepted === undefined)
      }
    })

    test('an unknown session counts as ended, and none is made', async () => {
      const { sessions, clock } = opened()
      const hash = freshHash()
      expect(await sessions.end({ hash, nowMs: clock.nowMs() })).toBe(true)
      expect(await sessions.read(hash)).toBeUndefined()
    })
  })

  describe('the expiry of a session', () => {
    test('a session is gone one hour after its last activity', async () => {
      const ports = opened()
      ports.clock.alignToSecond()
      const { clock } = ports
      const session = sessionOf(ports, { aliveUntilMs: clock.nowMs() + 75_000 })
      await ports.sessions.create(session)
      clock.advance(75_000 + HOUR_MS - 1)
      expect(await ports.sessions.read(session.hash)).toEqual(session)
      clock.advance(1)
      expect(await ports.sessions.read(session.hash)).toBeUndefined()
    })

    test('a renewal puts the hour off', async () => {
      const ports = opened()
      ports.clock.alignToSecond()
      const { clock } = ports
      const hash = await freshSession(ports)
      clock.advance(75_000)
      await ports.sessions.renew(hash, clock.nowMs() + 75_000)
      clock.advance(75_000 + HOUR_MS - 1)
      expect((await ports.sessions.read(hash))?.hash).toBe(hash)
      clock.advance(1)
      expect(await ports.sessions.read(hash)).toBeUndefined()
    })

    test('an ended session is gone after its hour too', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      await ports.sessions.end({ hash, nowMs: ports.clock.nowMs() })
      ports.clock.advance(75_000 + HOUR_MS + 1_000)
      expect(await ports.sessions.read(hash)).toBeUndefined()
    })
  })
}
