/** Contract of the port AdminSecrets: every value that is valid now, and no other. */
import { describe, expect, test } from 'vitest'
import type { AdminSecrets } from '../../core/ports.ts'
import { atOnce } from './fresh.ts'

/** Answers the port over secrets that hold these values: one or two of each kind, current first. */
export type MakeAdminSecrets = (
  values: Awaited<ReturnType<AdminSecrets['read']>>,
) => Promise<AdminSecrets>

export function describeAdminSecrets(name: string, make: MakeAdminSecrets): void {
  describe(`${name}: admin secrets`, () => {
    test('there is one value of each kind when nothing is rotated', async () => {
      const secrets = await make({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-0123456789'],
      })
      expect(await secrets.read()).toEqual({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-0123456789'],
      })
    })

    test('both values of a kind are valid while it is rotated, each kind by itself', async () => {
      const secrets = await make({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-new-012345', 'admin-key-old-012345'],
      })
      expect(await secrets.read()).toEqual({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-new-012345', 'admin-key-old-012345'],
      })
    })

    test('20 who ask at once are all told, and told the same', async () => {
      const values = {
        internalApiSecrets: ['internal-new-0123456', 'internal-old-0123456'],
        adminKeys: ['admin!key(0123456789)'],
      }
      const secrets = await make(values)
      const read = await atOnce(20, () => secrets.read())
      expect(read).toHaveLength(20)
      for (const one of read) {
        expect(one).toEqual({
          internalApiSecrets: ['internal-new-0123456', 'internal-old-0123456'],
          adminKeys: ['admin!key(0123456789)'],
        })
      }
    })
  })
}
