/** The port Profiles. Credits and holds are changed by the ledger alone. */
import { viewOfV0 } from '../../../core/ledger/v0.ts'
import type { Profiles } from '../../../core/ports.ts'
import type { ListChanges } from '../database/changes.ts'
import type { Database } from '../database/database.ts'
import { v0Users } from '../migration/v0-users.ts'
import type { ProfileRows } from './profile-rows.ts'

export function sqliteProfiles(
  database: Database,
  rows: ProfileRows,
  changes: ListChanges,
): Profiles {
  const { userOf } = v0Users(database, rows)
  return {
    create: (profile) => database.writeDurably(() => rows.insert(profile)),
    read: (uid) => database.snapshot(() => viewOfV0(uid, userOf(uid))),
    change: (uid, changes) =>
      database.writeDurably(() => {
        rows.change(uid, changes)
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
