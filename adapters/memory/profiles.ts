/** In-memory twin of the port Profiles. Credits and holds are changed by the ledger alone. */
import { foldedIdentity } from '../../core/access/user-names.ts'
import { budgetsOf, changedBudget } from '../../core/ledger/budget.ts'
import { changedProfile } from '../../core/ledger/change-profile.ts'
import { changedKeyBudgets } from '../../core/ledger/key-budgets.ts'
import type { Profile } from '../../core/ledger/ledger.ts'
import { viewOfV0 } from '../../core/ledger/v0.ts'
import type { Profiles } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'
import type { Change } from './table.ts'
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
    readAll: async (uids) => {
      const profiles = uids.map((uid) => database.profiles.get(uid, ONLY))
      const known = profiles.filter((profile) => profile !== undefined)
      return new Map(known.map((profile) => [profile.uid, profile]))
    },
    change: async (uid, to) => {
      const profile = database.profiles.get(uid, ONLY)
      const changed = profile && changedProfile(profile, to)
      if (profile === undefined || changed === undefined) return profile
      const claims = claimChanges(database, profile, changed)
      if (claims === 'taken') return 'identity_taken'
      const { usernameBefore: _replaced, ...after } = changed
      database.commit([database.profiles.putting(uid, ONLY, after), ...claims])
      return changed
    },
    changeBudget: async ({ uid, change }) => {
      const profile = database.profiles.get(uid, ONLY)
      if (profile === undefined) return undefined
      const { budget, keyBudgets, ...rest } = profile
      const changed = { ...rest, ...budgetsOf(changedBudget(budget, change), keyBudgets) }
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

function claimChanges(
  { identities }: Database,
  { identity: before, uid }: Profile,
  { identity: after }: Profile,
): readonly Change[] | 'taken' {
  const owner = after === undefined ? undefined : identities.get(foldedIdentity(after), ONLY)
  if (owner !== undefined && owner.uid !== uid) return 'taken'
  return [
    ...(before === undefined ? [] : [identities.removing(foldedIdentity(before), ONLY)]),
    ...(after === undefined ? [] : [identities.putting(foldedIdentity(after), ONLY, { uid })]),
  ]
}
