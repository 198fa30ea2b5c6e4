/** Contract of the port ClientResponses: one answer to a question that a call waits for. */
import { describe, expect, test } from 'vitest'
import { freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const OSLO = Uint8Array.of(1, 2, 3)
const BERGEN = Uint8Array.of(4)

export function describeInputAnswers(name: string, makePorts: MakePorts): void {
  describe(`${name}: client responses`, () => {
    const opened = openedPorts(makePorts)

    test("a client's response is read as it was put, and not before", async () => {
      const { clock, clientResponses } = opened()
      const hash = freshHash()
      await clientResponses.expect({ hash, expiresAtMs: clock.nowMs() + 60_000 })
      expect(await clientResponses.read(hash)).toBeUndefined()
      expect(await clientResponses.put({ hash, sealed: OSLO, nowMs: clock.nowMs() })).toBe(true)
      expect(await clientResponses.read(hash)).toEqual(OSLO)
    })

    test('the first response to a question stays', async () => {
      const { clock, clientResponses } = opened()
      const hash = freshHash()
      const nowMs = clock.nowMs()
      await clientResponses.expect({ hash, expiresAtMs: nowMs + 60_000 })
      await clientResponses.put({ hash, sealed: OSLO, nowMs })
      expect(await clientResponses.put({ hash, sealed: BERGEN, nowMs })).toBe(false)
      expect(await clientResponses.read(hash)).toEqual(OSLO)
    })

    test('exactly one of eight responses at once is kept', async () => {
      const { clock, clientResponses } = opened()
      const hash = freshHash()
      const nowMs = clock.nowMs()
      await clientResponses.expect({ hash, expiresAtMs: nowMs + 60_000 })
      const put = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          clientResponses.put({ hash, sealed: Uint8Array.of(n), nowMs }),
        ),
      )
      expect(put.filter((isKept) => isKept)).toHaveLength(1)
      expect(await clientResponses.read(hash)).toEqual(Uint8Array.of(put.indexOf(true)))
    })

    test('a response that no call waits for is not kept', async () => {
      const { clock, clientResponses } = opened()
      const hash = freshHash()
      expect(await clientResponses.put({ hash, sealed: OSLO, nowMs: clock.nowMs() })).toBe(false)
      expect(await clientResponses.read(hash)).toBeUndefined()
    })

    test('a response is taken until the millisecond before its question expires', async () => {
      const { clock, clientResponses } = opened()
      const expiresAtMs = clock.nowMs() + 1_000
      const [late, inTime] = [freshHash(), freshHash()]
      for (const hash of [late, inTime]) await clientResponses.expect({ hash, expiresAtMs })
      const at = (hash: string, nowMs: number) => clientResponses.put({ hash, sealed: OSLO, nowMs })
      expect(await at(late, expiresAtMs)).toBe(false)
      expect(await at(inTime, expiresAtMs - 1)).toBe(true)
    })

    test('a question that is stored again keeps its response', async () => {
      const { clock, clientResponses } = opened()
      const question = { hash: freshHash(), expiresAtMs: clock.nowMs() + 60_000 }
      await clientResponses.expect(question)
      await clientResponses.put({ hash: question.hash, sealed: OSLO, nowMs: clock.nowMs() })
      await clientResponses.expect(question)
      expect(await clientResponses.read(question.hash)).toEqual(OSLO)
    })
  })
}
