/** Contract of the port CallExcerpts. */
import { describe, expect, test } from 'vitest'
import { freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeCallExcerpts(name: string, makePorts: MakePorts): void {
  describe(`${name}: excerpts of failed answers`, () => {
    const opened = openedPorts(makePorts)

    test('an excerpt is found by user and call, and by nothing else', async () => {
      const { callExcerpts, clock } = opened()
      const uid = freshName('u-')
      const expiresAtMs = clock.nowMs() + 60_000
      await callExcerpts.put({ uid, callId: 'c1', text: 'é"\n', expiresAtMs })
      await callExcerpts.put({ uid, callId: 'c1', text: 'é"\n', expiresAtMs })
      expect(await callExcerpts.find({ uid, callId: 'c1' })).toBe('é"\n')
      expect(await callExcerpts.find({ uid, callId: 'c2' })).toBeUndefined()
      expect(await callExcerpts.find({ uid: freshName('u-'), callId: 'c1' })).toBeUndefined()
    })

    test('the excerpts of a user are removed some at a time, and those of others stay', async () => {
      const { callExcerpts, clock } = opened()
      const [uid, other] = [freshName('u-'), freshName('u-')]
      const expiresAtMs = clock.nowMs() + 60_000
      for (const callId of ['c1', 'c2', 'c3']) {
        await callExcerpts.put({ uid, callId, text: 'x', expiresAtMs })
      }
      await callExcerpts.put({ uid: other, callId: 'c1', text: 'x', expiresAtMs })
      expect(await callExcerpts.dropOwned({ uid, limit: 2 })).toBe(false)
      expect(await callExcerpts.dropOwned({ uid, limit: 2 })).toBe(true)
      expect(await callExcerpts.dropOwned({ uid, limit: 2 })).toBe(true)
      for (const callId of ['c1', 'c2', 'c3']) {
        expect(await callExcerpts.find({ uid, callId })).toBeUndefined()
      }
      expect(await callExcerpts.find({ uid: other, callId: 'c1' })).toBe('x')
    })

    test('an excerpt is gone once its time is over', async () => {
      const { callExcerpts, clock } = opened()
      const uid = freshName('u-')
      const expiresAtMs = clock.nowMs() - 1_000
      await callExcerpts.put({ uid, callId: 'c1', text: 'old', expiresAtMs })
      expect(await callExcerpts.find({ uid, callId: 'c1' })).toBeUndefined()
    })
  })
}
