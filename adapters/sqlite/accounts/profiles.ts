/** The port Profiles. Credits and holds are changed by the ledger alone. */
import { foldedIdentity } from '../../../core/access/user-names.ts'
import { budgetsOf, changedBudget } from '../../../core/ledger/budget.ts'
import { changedProfile } from '../../../core/ledger/change-profile.ts'
import { changedKeyBudgets } from '../../../core/ledger/key-budgets.ts'
import { viewOfV0 } from '../../../core/ledger/v0.ts'
import type { Profiles } from '../../../core/ports.ts'
import type { ListChanges } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import { textAt } from '../database/row.ts'
import { v0Users } from '../migration/v0-users.ts'
import type { ProfileRows } from './profile-rows.ts'

export function sqliteProfiles(
  database: Database,
  rows: ProfileRows,
  changes: ListChanges,
): Profiles {
  const { userOf } = v0Users(database, rows)
  const owner = database.prepare('SELECT uid FROM profiles WHERE identityKey = ?')
  return {
    create: (profile) => database.writeDurably(() => rows.insert(profile)),
    read: (uid) => database.snapshot(() => viewOfV0(uid, userOf(uid))),
    readAll: (uids) =>
      database.snapshot(() => {
        const profiles = uids.map(rows.find).filter((profile) => profile !== undefined)
        return new Map(profiles.map((profile) => [profile.uid, profile]))
      }),
    change: (uid, to) =>
      database.writeDurably(() => {
        const profile = rows.find(uid)
        const changed = profile && changedProfile(profile, to)
        if (changed === undefined) return profile
        const { identity } = changed
        const ownerUid = identity === undefined ? undefined : owner.get(foldedIdentity(identity))
        if (ownerUid !== undefined && textAt(ownerUid, 'uid') !== uid) return 'identity_taken'
        rows.change(changed)
        return changed
      }),
    changeBudget: ({ uid, change }) =>
      database.writeDurably(() => {
        const profile = rows.find(uid)
        if (profile === undefined) return undefined
        const { budget, keyBudgets } = profile
        rows.setBudgets(uid, budgetsOf(changedBudget(budget, change), keyBudgets))
        return rows.find(uid)
      }),
    changeKeyBudget: ({ uid, ...change }) =>
      database.writeDurably(() => {
        const profile = rows.find(uid)
        if (profile === undefined) return undefined
        const after = changedKeyBudgets(profile.keyBudgets ?? {}, change)
        if (after === 'full') return after
        rows.setBudgets(uid, budgetsOf(profile.budget, after))
        return rows.find(uid)
      }),
    noteSkillsChanged: async (uid, nowMs) => {
      await database.writeDurably(() => {
        changes.count()
        rows.noteSkillsChanged(uid, nowMs)
      })
      changes.ring()
    },
  }
}
