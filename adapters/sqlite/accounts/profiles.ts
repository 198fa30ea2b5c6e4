/** The port Profiles. Credits and holds are changed by the ledger alone. */
import { viewOfV0 } from '../../../core/ledger/v0.ts'
import type { Profiles } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { v0Users } from '../migration/v0-users.ts'
import type { KnownHolds } from './known-holds.ts'
import { profileRows } from './profile-rows.ts'

export function sqliteProfiles(database: Database, holds: KnownHolds): Profiles {
  const rows = profileRows(database, holds)
  const { userOf } = v0Users(database, holds)
  const change = database.prepare(
    'UPDATE profiles SET username = coalesce(?, username), tier = coalesce(?, tier) WHERE uid = ?',
  )
  const noteSkillsChanged = database.prepare(
    'UPDATE profiles SET skillsChangedAtMs = max(?, skillsChangedAtMs + 1) WHERE uid = ?',
  )
  return {
    create: (profile) => database.writeDurably(() => rows.insert(profile)),
    read: (uid) => database.snapshot(() => viewOfV0(uid, userOf(uid))),
    change: (uid, { username, tier }) =>
      database.writeDurably(() => {
        change.run(username ?? null, tier ?? null, uid)
        return rows.find(uid)
      }),
    noteSkillsChanged: (uid, nowMs) =>
      database.writeDurably(() => void noteSkillsChanged.run(nowMs, uid)),
  }
}
