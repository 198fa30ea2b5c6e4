/** In-memory twin of the port Profiles. Credits and holds are changed by the ledger alone. */
import { viewOfLegacy } from '../../core/ledger/v0.ts'
import type { Profiles } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'
import { legacyUserIn } from './v0.ts'

export function memoryProfiles(cells: Cells): Profiles {
  return {
    create: async (profile) => {
      if (cells.profiles.get(profile.uid, ONLY) !== undefined) return false
      // The ledger goes on counting where the profile's own holds end.
      const placed = Math.max(0, ...Object.values(profile.holds).map((hold) => hold.placement))
      cells.commit([
        cells.profiles.putting(profile.uid, ONLY, profile),
        cells.placements.putting(profile.uid, ONLY, placed),
      ])
      return true
    },
    read: async (uid) => viewOfLegacy(uid, legacyUserIn(cells, uid)),
    change: async (uid, { username, tier }) => {
      const profile = cells.profiles.get(uid, ONLY)
      if (profile === undefined) return undefined
      const changed = {
        ...profile,
        ...(username === undefined ? {} : { username }),
        ...(tier === undefined ? {} : { tier }),
      }
      cells.profiles.put(uid, ONLY, changed)
      return changed
    },
    noteSkillsChanged: async (uid, nowMs) => {
      const profile = cells.profiles.get(uid, ONLY)
      if (profile === undefined) return
      const skillsChangedAtMs = Math.max(nowMs, profile.skillsChangedAtMs + 1)
      cells.profiles.put(uid, ONLY, { ...profile, skillsChangedAtMs })
    },
  }
}
