/** In-memory twin of the port AdminKeys. */
import type { AdminKey } from '../../core/access/admin-key.ts'
import type { AdminKeys } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryAdminKeys({ adminKeys }: Database): AdminKeys {
  const all = () => [...adminKeys.list(ONLY)].sort(byName)
  return {
    find: async (keyId) => adminKeys.get(ONLY, keyId),
    list: async () => all(),
    create: async (key) => {
      if (all().some(({ keyId, name }) => keyId === key.keyId || name === key.name)) return false
      adminKeys.put(ONLY, key.keyId, key)
      return true
    },
    revoke: async (keyId) => {
      const key = adminKeys.get(ONLY, keyId)
      adminKeys.remove(ONLY, keyId)
      return key
    },
    noteUse: async ({ keyId, day }) => {
      const key = adminKeys.get(ONLY, keyId)
      if (key === undefined || (key.lastUsedDay ?? '') >= day) return
      adminKeys.put(ONLY, keyId, { ...key, lastUsedDay: day })
    },
  }
}

function byName(a: AdminKey, b: AdminKey): number {
  return a.name < b.name ? -1 : 1
}
