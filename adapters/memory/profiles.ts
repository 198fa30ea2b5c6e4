/** In-memory twin of the port Profiles. Credits and holds are changed by the ledger alone. */
import { budgetsOf, changedBudget } from '../../core/ledger/budget.ts'
import { changedKeyBudgets } from '../../core/ledger/key-budgets.ts'
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
    change: async (uid, { username, tier, budget }) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return undefined
      const { budget: before, ...rest } = profile
      const after = budget === undefined ? before : changedBudget(before, budget)
      const changed = {
        ...rest,
        ...(username === undefined ? {} : { username }),
        ...(tier === undefined ? {} : { tier }),
        ...(after === undefined ? {} : { budget: after }),
      }
      database.profiles.put(uid, ONLY, changed)
      return changed
    },
    changeKeyBudget: async ({ uid, ...change }) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return undefined
      const { budget, keyBudgets, ...rest } = profile
      const after = changedKeyBudgets(keyBudgets ?? {}, change)
      if (after === 'full') return after
      const changed = { ...rest, ...budgetsOf(budget, after) }
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
