/** In-memory twin of the port Profiles. Credits and holds are changed by the ledger alone. */
import { viewOfV0 } from '../../core/ledger/v0.ts'
import type { Profiles } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'
import { v0UserIn } from './v0.ts'

export function memoryProfiles(database: Database): Profiles {
  return {
    create: async (profile) => {
      if (database.profiles.get(profile.uid, ONLY) !== undefined) return false
      // The ledger goes on counting where the profile's own holds end.
      const placed = Math.max(0, ...Object.values(profile.holds).map((hold) => hold.placement))
      database.commit([
        database.profiles.putting(profile.uid, ONLY, profile),
        database.placements.putting(profile.uid, ONLY, placed),
      ])
      return true
    },
    read: async (uid) => viewOfV0(uid, v0UserIn(database, uid)),
    change: async (uid, { groups, username, tier }) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return undefined
      const { groups: before = [], ...others } = profile
      const after = groups ?? before
      const changed = {
        ...others,
        ...(username === undefined ? {} : { username }),
        ...(tier === undefined ? {} : { tier }),
        ...(after.length === 0 ? {} : { groups: after }),
      }
      database.profiles.put(uid, ONLY, changed)
      return changed
    },
    noteSkillsChanged: async (uid, nowMs) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return
      const skillsChangedAtMs = Math.max(nowMs, profile.skillsChangedAtMs + 1)
      database.profiles.put(uid, ONLY, { ...profile, skillsChangedAtMs })
      database.bells.ring('tool-lists')
    },
  }
}
