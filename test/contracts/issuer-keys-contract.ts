/** Contract of the port IssuerKeys. Reads may be old, so tests read until they see the last put. */
import { describe, expect, test } from 'vitest'
import { atOnce, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

export function describeIssuerKeys(name: string, makePorts: MakePorts): void {
  describe(`${name}: keys of issuers`, () => {
    const opened = openedPorts(makePorts)

    test('an issuer without stored keys has none', async () => {
      expect(await opened().issuerKeys.read(freshHash())).toBeUndefined()
    })

    test('keys are read as they were put, and those of one issuer are not those of another', async () => {
      const { issuerKeys } = opened()
      const [one, other] = [freshHash(), freshHash()]
      await issuerKeys.put(one, { keys: '{"keys":[1]}', fetchedAtMs: 1_000 })
      await issuerKeys.put(other, { keys: '{"keys":[2]}', fetchedAtMs: 2_000 })
      expect(await issuerKeys.read(one)).toEqual({ keys: '{"keys":[1]}', fetchedAtMs: 1_000 })
      expect(await issuerKeys.read(other)).toEqual({ keys: '{"keys":[2]}', fetchedAtMs: 2_000 })
    })

    test('later keys replace earlier ones, and a late put of earlier keys changes nothing', async () => {
      const { issuerKeys } = opened()
      const id = freshHash()
      await issuerKeys.put(id, { keys: 'first', fetchedAtMs: 1_000 })
      await issuerKeys.put(id, { keys: 'second', fetchedAtMs: 1_001 })
      await issuerKeys.put(id, { keys: 'late', fetchedAtMs: 1_000 })
      await issuerKeys.put(id, { keys: 'same time', fetchedAtMs: 1_001 })
      expect(await issuerKeys.read(id)).toEqual({ keys: 'second', fetchedAtMs: 1_001 })
    })

    test('of 20 puts at once the one that was fetched last stays', async () => {
      const { issuerKeys } = opened()
      const id = freshHash()
      await atOnce(20, (at) => issuerKeys.put(id, { keys: `k${at}`, fetchedAtMs: 1_000 + at }))
      expect(await issuerKeys.read(id)).toEqual({ keys: 'k19', fetchedAtMs: 1_019 })
    })
  })
}
