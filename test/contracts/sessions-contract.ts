/** Contract of the port Sessions: which POSTs are accepted, and the order of their requests. */
import { describe, expect, test } from 'vitest'
import {
  acceptedIn,
  acceptOne,
  atOnce,
  freshHash,
  freshName,
  freshSession,
  requestOf,
  sessionOf,
} from './fresh.ts'
import { describePendingLimit } from './pending-limit-contract.ts'
import { describeSessionEnds } from './session-ends-contract.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeSessions(name: string, makePorts: MakePorts): void {
  describe(`${name}: sessions`, () => {
    const opened = openedPorts(makePorts)

    test('an unknown session is undefined', async () => {
      expect(await opened().sessions.read(freshHash())).toBeUndefined()
    })

    test('a session comes back as it was created, sealed bytes and all', async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      expect(await ports.sessions.read(session.hash)).toEqual(session)
    })

    test('an anonymous session has no user and no header', async () => {
      const ports = opened()
      const session = sessionOf(ports, {
        keyHash: 'anonymous',
        uid: undefined,
        sealedCredential: undefined,
      })
      await ports.sessions.create(session)
      const read = await ports.sessions.read(session.hash)
      expect(read).toEqual(session)
      expect(read?.uid).toBeUndefined()
      expect(read?.sealedCredential).toBeUndefined()
    })

    test('an accepted request gets the next seq and is the last of the pending ones', async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      const first = requestOf('0', { calls: false })
      const second = requestOf('"a\\u0000b"')
      const nowMs = session.createdAtMs + 1_500
      await ports.sessions.accept({
        hash: session.hash,
        nowMs: nowMs - 1,
        writeToken: 'm1',
        request: first,
      })
      const after = await ports.sessions.accept({
        hash: session.hash,
        nowMs,
        writeToken: 'm2',
        request: second,
      })
      expect(after).toEqual({ ...session, seq: 2, pending: [first, second], lastPostAtMs: nowMs })
      expect(await ports.sessions.read(session.hash)).toEqual(after)
    })

    test('a client that a request names is kept in the record, for the requests after it as well', async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      const post = { hash: session.hash, nowMs: session.createdAtMs + 1_000 }
      const named = await ports.sessions.accept({
        ...post,
        writeToken: 'm1',
        request: requestOf('0', { calls: false }),
        client: 'inspector/1.2',
      })
      expect(acceptedIn(named).client).toBe('inspector/1.2')
      const next = { ...post, writeToken: 'm2', request: requestOf('1') }
      expect(acceptedIn(await ports.sessions.accept(next)).client).toBe('inspector/1.2')
      await ports.sessions.renew(session.hash, session.aliveUntilMs + 1)
      expect((await ports.sessions.read(session.hash))?.client).toBe('inspector/1.2')
    })

    test('a notification counts as life and gets no seq', async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      const nowMs = session.createdAtMs + 7_000
      const after = await ports.sessions.accept({
        hash: session.hash,
        nowMs,
        writeToken: 'm',
        request: undefined,
      })
      expect(after).toEqual({ ...session, lastPostAtMs: nowMs })
      expect(await ports.sessions.read(session.hash)).toEqual(after)
    })

    test('20 requests at once get the seqs 1 to 20, one each', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const answers = await atOnce(20, async (index) => {
        const seq = await acceptOne(ports, hash, String(index))
        return { id: String(index), seq }
      })
      expect(answers.map((answer) => answer.seq).sort((a, b) => a - b)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
      ])
      const session = await ports.sessions.read(hash)
      expect(session?.seq).toBe(20)
      for (const { id, seq } of answers) expect(session?.pending[seq - 1]?.id).toBe(id)
    })

    test('the same write token sent twice is one accept', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const post = {
        hash,
        nowMs: ports.clock.nowMs(),
        writeToken: freshName('m-'),
        request: requestOf('7'),
      }
      const first = acceptedIn(await ports.sessions.accept(post))
      const again = await ports.sessions.accept(post)
      expect(first.seq).toBe(1)
      expect(again).toEqual(first)
      expect((await ports.sessions.read(hash))?.pending).toHaveLength(1)
    })

    test('a write token sent again after another request came is still one accept, with its own seq', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      const post = {
        hash,
        nowMs: ports.clock.nowMs(),
        writeToken: freshName('m-'),
        request: requestOf('7'),
      }
      await ports.sessions.accept(post)
      await acceptOne(ports, hash, '8')
      const again = acceptedIn(await ports.sessions.accept(post))
      expect(again.seq).toBe(1)
      expect(again.pending.map((request) => request.id)).toEqual(['7'])
      const session = await ports.sessions.read(hash)
      expect(session?.seq).toBe(2)
      expect(session?.pending.map((request) => request.id)).toEqual(['7', '8'])
    })

    test('two requests with the same id and different write tokens are two', async () => {
      const ports = opened()
      const hash = await freshSession(ports)
      expect([await acceptOne(ports, hash, '7'), await acceptOne(ports, hash, '7')]).toEqual([1, 2])
    })

    test('a POST to an unknown session is refused and makes none', async () => {
      const { sessions, clock } = opened()
      const hash = freshHash()
      const post = { hash, nowMs: clock.nowMs(), writeToken: 'm' }
      expect(await sessions.accept({ ...post, request: requestOf('1') })).toBeUndefined()
      expect(await sessions.accept({ ...post, request: undefined })).toBeUndefined()
      expect(await sessions.read(hash)).toBeUndefined()
    })

    test("a session takes POSTs until the millisecond before its stream's lease runs out", async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      const post = { hash: session.hash, request: requestOf('1') }
      const last = session.aliveUntilMs - 1
      const past = session.aliveUntilMs
      const accepted = await ports.sessions.accept({ ...post, nowMs: last, writeToken: 'm1' })
      expect(accepted).toMatchObject({ seq: 1 })
      expect(
        await ports.sessions.accept({ ...post, nowMs: past, writeToken: 'm2' }),
      ).toBeUndefined()
      expect((await ports.sessions.read(session.hash))?.seq).toBe(1)
    })

    test('a renewal lets the session take POSTs for longer', async () => {
      const ports = opened()
      const session = sessionOf(ports)
      await ports.sessions.create(session)
      await ports.sessions.renew(session.hash, session.aliveUntilMs + 30_000)
      expect(await ports.sessions.read(session.hash)).toEqual({
        ...session,
        aliveUntilMs: session.aliveUntilMs + 30_000,
      })
      const nowMs = session.aliveUntilMs
      const post = { hash: session.hash, nowMs, writeToken: 'm', request: undefined }
      expect(await ports.sessions.accept(post)).toBeDefined()
    })

    test('renewing an unknown session makes none', async () => {
      const { sessions, clock } = opened()
      const hash = freshHash()
      await sessions.renew(hash, clock.nowMs() + 75_000)
      expect(await sessions.read(hash)).toBeUndefined()
    })

    describePendingLimit(opened)
    describeSessionEnds(opened)
  })
}
