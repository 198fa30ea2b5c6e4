/** In-memory twin of the port Profiles. Credits and holds are changed by the ledger alone. */
import type { Profiles } from '../../core/ports.ts'
import { type Cells, ONLY } from './cells.ts'

export function memoryProfiles(cells: Cells): Profiles {
  return {
    create: async (profile) => {
      if (cells.profiles.get(profile.uid, ONLY) !== undefined) return false
      cells.profiles.put(profile.uid, ONLY, profile)
      return true
    },
    read: async (uid) => cells.profiles.get(uid, ONLY),
    touchSkills: async (uid, nowMs) => {
      const profile = cells.profiles.get(uid, ONLY)
      if (profile === undefined || profile.skillsChangedAtMs >= nowMs) return
      cells.profiles.put(uid, ONLY, { ...profile, skillsChangedAtMs: nowMs })
    },
  }
}
