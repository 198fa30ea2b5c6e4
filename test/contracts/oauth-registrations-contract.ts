/** Contract of the port OAuthRegistrations. Reads may be old, so tests read until they see the add. */
import { describe, expect, test } from 'vitest'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const NOW_MS = 1_800_000_000_000
const LATER_MS = NOW_MS + 600_000

export function describeOAuthRegistrations(name: string, makePorts: MakePorts): void {
  describe(`${name}: registrations at authorization servers`, () => {
    const opened = openedPorts(makePorts)
    const made = (clientId: string, expiresAtMs = LATER_MS) => ({ clientId, expiresAtMs })

    test('a server where nobody registered has no client id', async () => {
      expect(await opened().oauthRegistrations.find(freshHash(), NOW_MS)).toBeUndefined()
    })

    test('a client id is found under its own id until it is over', async () => {
      const { oauthRegistrations } = opened()
      const id = freshHash()

      expect(await oauthRegistrations.add(id, made('one'), NOW_MS)).toBe('one')
      expect(await oauthRegistrations.find(id, LATER_MS - 1)).toBe('one')
      expect(await oauthRegistrations.find(id, LATER_MS)).toBeUndefined()
      expect(await oauthRegistrations.find(freshHash(), NOW_MS)).toBeUndefined()
    })

    test('a second client id counts only when the first one is over', async () => {
      const { oauthRegistrations } = opened()
      const id = freshHash()
      await oauthRegistrations.add(id, made('one'), NOW_MS)

      expect(await oauthRegistrations.add(id, made('two'), LATER_MS - 1)).toBe('one')
      expect(await oauthRegistrations.find(id, NOW_MS)).toBe('one')
      const next = made('three', LATER_MS + 600_000)
      expect(await oauthRegistrations.add(id, next, LATER_MS)).toBe('three')
      expect(await oauthRegistrations.find(id, LATER_MS)).toBe('three')
    })

    test('of 20 client ids that are added at once, all callers get the same one', async () => {
      const { oauthRegistrations } = opened()
      const id = freshHash()
      const got = await atOnce(20, (at) => oauthRegistrations.add(id, made(`c${at}`), NOW_MS))

      expect(new Set(got).size).toBe(1)
      expect(await oauthRegistrations.find(id, NOW_MS)).toBe(got[0])
    })
  })
}
