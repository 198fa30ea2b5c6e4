/** Contract of the port KeptResults: bytes come back in parts, for their owner, until their time is over. */
import { beforeEach, describe, expect, test } from 'vitest'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import { type ManualClock, manualClock } from '../core/flow/manual-clock.ts'

const ids = nodeIds()

export function describeKeptResults(name: string, open: (clock: ManualClock) => KeptResults): void {
  describe(`kept results, ${name}`, () => {
    let clock: ManualClock
    let kept: KeptResults
    beforeEach(() => {
      clock = manualClock()
      kept = open(clock)
    })

    const putHello = async (resultId: string) => {
      const expiresAtMs = clock.nowMs() + 3_600_000
      const bytes = new TextEncoder().encode('hello, world')
      await kept.put({ uid: 'ann', resultId, mimeType: 'text/plain', expiresAtMs, bytes })
    }
    const readText = async (resultId: string, from: number, bytesMax: number, uid = 'ann') => {
      const part = await kept.read({ uid, resultId, from, bytesMax })
      return part === undefined ? undefined : Buffer.from(part.bytes).toString()
    }

    test('a result is read whole with its type and size', async () => {
      const resultId = ids.token(32)
      await putHello(resultId)
      const part = await kept.read({ uid: 'ann', resultId, from: 0, bytesMax: 100 })
      expect(part).toMatchObject({ uid: 'ann', resultId, mimeType: 'text/plain', totalBytes: 12 })
      expect(part?.expiresAtMs).toBe(clock.nowMs() + 3_600_000)
      expect(Buffer.from(part?.bytes ?? []).toString()).toBe('hello, world')
    })

    test('a result is read in parts, and past its end there are no bytes', async () => {
      const resultId = ids.token(32)
      await putHello(resultId)
      expect(await readText(resultId, 0, 5)).toBe('hello')
      expect(await readText(resultId, 7, 3)).toBe('wor')
      expect(await readText(resultId, 7, 100)).toBe('world')
      expect(await readText(resultId, 12, 5)).toBe('')
      const past = await kept.read({ uid: 'ann', resultId, from: 5_000, bytesMax: 1 })
      expect(past).toMatchObject({ mimeType: 'text/plain', totalBytes: 12 })
    })

    test('bytes that are no text come back unchanged', async () => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256)
      const resultId = ids.token(32)
      const about = { uid: 'ann', resultId, mimeType: 'application/pdf' }
      await kept.put({ ...about, expiresAtMs: clock.nowMs() + 1_000, bytes })
      const part = await kept.read({ uid: 'ann', resultId, from: 0, bytesMax: 300_000 })
      expect(Buffer.from(part?.bytes ?? []).equals(Buffer.from(bytes))).toBe(true)
    })

    test('another user cannot read a result whose id is known', async () => {
      const resultId = ids.token(32)
      await putHello(resultId)
      expect(await readText(resultId, 0, 100, 'bob')).toBeUndefined()
      expect(await readText(resultId, 0, 100, 'ann/..')).toBeUndefined()
    })

    test('an unknown id, and a text that is no id, have no result', async () => {
      expect(await readText(ids.token(32), 0, 100)).toBeUndefined()
      for (const resultId of ['', '..', '../../items.sqlite', 'a/b', `${ids.token(32)}x`]) {
        expect(await readText(resultId, 0, 100)).toBeUndefined()
      }
    })

    test('a result can be read until its time is over', async () => {
      const resultId = ids.token(32)
      await putHello(resultId)
      clock.jump(3_599_999)
      expect(await readText(resultId, 0, 5)).toBe('hello')
      clock.jump(1)
      expect(await readText(resultId, 0, 5)).toBeUndefined()
    })

    test('ten results that are put at once are all there', async () => {
      const all = Array.from({ length: 10 }, () => ids.token(32))
      await Promise.all(all.map(putHello))
      for (const resultId of all) expect(await readText(resultId, 0, 5)).toBe('hello')
    })
  })
}
