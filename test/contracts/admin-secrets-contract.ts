/** Contract of the port AdminSecrets: every value that is valid now, and no other. */
import { describe, expect, test } from 'vitest'
import type { AdminSecrets } from '../../core/ports/outside.ts'
import { atOnce } from './fresh.ts'

/**
 * Opens the port over secrets with these values: one or two of each kind, the current one first.
 */
export type MakeAdminSecrets = (
  values: Awaited<ReturnType<AdminSecrets['read']>>,
) => Promise<AdminSecrets>

export function describeAdminSecrets(name: string, make: MakeAdminSecrets): void {
  describe(`${name}: admin secrets`, () => {
    test('the store holds one value of each kind of secret outside a rotation', async () => {
      const secrets = await make({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-0123456789'],
      })
      expect(await secrets.read()).toEqual({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-0123456789'],
      })
    })

    test('the store holds both values of a kind of secret during its rotation, each kind by itself', async () => {
      const secrets = await make({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-new-012345', 'admin-key-old-012345'],
      })
      expect(await secrets.read()).toEqual({
        internalApiSecrets: ['internal-0123456789'],
        adminKeys: ['admin-key-new-012345', 'admin-key-old-012345'],
      })
    })

    test('the admin secrets are the same for 20 callers at once', async () => {
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
