/** Contract of the port UpstreamSessions. Reads may be old, so tests read until they see the last put. */
import { describe, expect, test } from 'vitest'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const NOW_MS = 1_800_000_000_000
const LATER_MS = NOW_MS + 600_000

export function describeUpstreamSessions(name: string, makePorts: MakePorts): void {
  describe(`${name}: sessions at MCP servers`, () => {
    const opened = openedPorts(makePorts)

    test('an id without a session has none', async () => {
      expect(await opened().upstreamSessions.read(freshHash(), NOW_MS)).toBeUndefined()
    })

    test('a session is read by its id alone, until it expires', async () => {
      const { upstreamSessions } = opened()
      const id = freshHash()
      const sealed = new Uint8Array([1, 2, 3])
      await upstreamSessions.put({ id, sealed, expiresAtMs: LATER_MS })

      expect(await upstreamSessions.read(id, LATER_MS - 1)).toEqual(sealed)
      expect(await upstreamSessions.read(id, LATER_MS)).toBeUndefined()
      expect(await upstreamSessions.read(freshHash(), NOW_MS)).toBeUndefined()
    })

    test('of 20 sessions that are put at once, one stays whole', async () => {
      const { upstreamSessions } = opened()
      const id = freshHash()
      await atOnce(20, (at) =>
        upstreamSessions.put({ id, sealed: new Uint8Array([at, at]), expiresAtMs: LATER_MS }),
      )
      const [first, second] = (await upstreamSessions.read(id, NOW_MS)) ?? []

      expect(first).toBe(second)
    })
  })
}
