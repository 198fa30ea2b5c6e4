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

    test('an excerpt is gone once its time is over', async () => {
      const { callExcerpts, clock } = opened()
      const uid = freshName('u-')
      const expiresAtMs = clock.nowMs() - 1_000
      await callExcerpts.put({ uid, callId: 'c1', text: 'old', expiresAtMs })
      expect(await callExcerpts.find({ uid, callId: 'c1' })).toBeUndefined()
    })
  })
}
