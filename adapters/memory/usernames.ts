/** In-memory twin of the port Usernames. */
import type { Usernames } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryUsernames({ usernames }: Database): Usernames {
  return {
    read: async (name) => usernames.get(name, ONLY) ?? { uids: [], version: 0 },
    write: async (name, claim) => {
      if ((usernames.get(name, ONLY)?.version ?? 0) !== claim.version - 1) return false
      usernames.put(name, ONLY, claim)
      return true
    },
  }
}
