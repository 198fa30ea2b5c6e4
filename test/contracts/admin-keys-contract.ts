/** Contract of the port AdminKeys. */
import { describe, expect, test } from 'vitest'
import type { AdminKey } from '../../core/access/admin-key.ts'
import { atOnce, freshHash, freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

function adminKeyOf(more: Partial<AdminKey> = {}): AdminKey {
  return {
    keyId: freshHash(),
    name: freshName('key-'),
    role: 'operator',
    keyPrefix: 'sga_ab12',
    createdAtMs: 2_000_000_000_000,
    createdBy: 'break-glass:admin-key',
    expiresAtMs: undefined,
    lastUsedDay: undefined,
    ...more,
  }
}

export function describeAdminKeys(name: string, makePorts: MakePorts): void {
  describe(`${name}: keys of administrators`, () => {
    const opened = openedPorts(makePorts)

    test("an unknown administrator's key is not found, and cannot be revoked", async () => {
      const { adminKeys } = opened()
      const keyId = freshHash()
      expect(await adminKeys.find(keyId)).toBeUndefined()
      expect(await adminKeys.revoke(keyId)).toBeUndefined()
      await adminKeys.noteUse({ keyId, day: '2033-05-18' })
      expect(await adminKeys.find(keyId)).toBeUndefined()
    })

    test('a key comes back as it was made, with and without an end', async () => {
      const { adminKeys } = opened()
      const keys = [adminKeyOf(), adminKeyOf({ expiresAtMs: 2_000_000_000_001, role: 'viewer' })]
      for (const key of keys) {
        expect(await adminKeys.create(key)).toBe(true)
        expect(await adminKeys.find(key.keyId)).toEqual(key)
      }
      expect(await adminKeys.list()).toEqual(expect.arrayContaining(keys))
    })

    test('the list is in the order of names', async () => {
      const { adminKeys } = opened()
      for (const one of ['b', 'a', 'c'])
        await adminKeys.create(adminKeyOf({ name: freshName(one) }))
      const names = (await adminKeys.list()).map((key) => key.name)
      expect(names.length).toBeGreaterThanOrEqual(3)
      expect(names).toEqual([...names].sort())
    })

    test('a name is taken as long as its key exists', async () => {
      const { adminKeys } = opened()
      const first = adminKeyOf()
      const second = adminKeyOf({ name: first.name })
      expect(await adminKeys.create(first)).toBe(true)
      expect(await adminKeys.create(second)).toBe(false)
      expect(await adminKeys.find(second.keyId)).toBeUndefined()
      expect(await adminKeys.revoke(first.keyId)).toEqual(first)
      expect(await adminKeys.find(first.keyId)).toBeUndefined()
      expect(await adminKeys.create(second)).toBe(true)
    })

    test('a single key is made of 10 at once with one name', async () => {
      const { adminKeys } = opened()
      const sameName = freshName('key-')
      const made = await atOnce(10, () => adminKeys.create(adminKeyOf({ name: sameName })))
      expect(made.filter((won) => won)).toHaveLength(1)
      const listed = (await adminKeys.list()).filter((key) => key.name === sameName)
      expect(listed).toHaveLength(1)
    })

    test('a single one of 5 revocations at once removes the key', async () => {
      const { adminKeys } = opened()
      const key = adminKeyOf()
      await adminKeys.create(key)
      const removed = await atOnce(5, () => adminKeys.revoke(key.keyId))
      expect(removed.filter((one) => one !== undefined)).toEqual([key])
    })

    test("the day of a key's last use moves on and never back, and brings back no revoked key", async () => {
      const { adminKeys } = opened()
      const key = adminKeyOf()
      await adminKeys.create(key)
      for (const day of ['2033-05-18', '2033-05-19', '2033-05-18']) {
        await adminKeys.noteUse({ keyId: key.keyId, day })
      }
      expect(await adminKeys.find(key.keyId)).toEqual({ ...key, lastUsedDay: '2033-05-19' })
      await adminKeys.revoke(key.keyId)
      await adminKeys.noteUse({ keyId: key.keyId, day: '2033-05-20' })
      expect(await adminKeys.find(key.keyId)).toBeUndefined()
    })
  })
}
