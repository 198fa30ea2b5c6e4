/**
 * A user's row with the holds beside it, as every writer of money reads and writes them: inside one
 * transaction, so that credits and holds are of one moment.
 */
import type { Hold, MicroCredits, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { flagAt, intAt, type Row, textAt, wordAt } from '../database/row.ts'

export type ProfileRows = {
  find(uid: string): Profile | undefined
  /** False when the uid is taken. */
  insert(profile: Profile): boolean
  setCredits(uid: string, credits: MicroCredits): void
  /** IdempotencyRecords the number of this hold: how many the user has had with it. */
  place(uid: string, callId: string, hold: Omit<Hold, 'placement'>, credits: MicroCredits): Hold
  removeHold(uid: string, callId: string): void
}

export function profileRows(database: Database): ProfileRows {
  const find = database.prepare('SELECT * FROM profiles WHERE uid = ?')
  const holds = database.prepare('SELECT * FROM holds WHERE uid = ?')
  const insert = database.prepare(
    `INSERT INTO profiles
       (uid, username, tier, credits, placed, createdAtMs, skillsChangedAtMs, moved)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const insertHold = database.prepare(
    `INSERT INTO holds (uid, callId, amount, heldAtMs, writeToken, skillId, source, placement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const setCredits = database.prepare('UPDATE profiles SET credits = ? WHERE uid = ?')
  const countPlaced = database.prepare(
    'UPDATE profiles SET credits = ?, placed = placed + 1 WHERE uid = ? RETURNING placed',
  )
  const removeHold = database.prepare('DELETE FROM holds WHERE uid = ? AND callId = ?')
  const putHold = (uid: string, callId: string, hold: Hold) => {
    const { amount, heldAtMs, placement, skillId, source, writeToken } = hold
    insertHold.run(uid, callId, amount, heldAtMs, writeToken, skillId, source, placement)
  }
  return {
    find: (uid) => {
      const row = find.get(uid)
      return row === undefined ? undefined : profileFrom(row, holds.all(uid))
    },
    insert: (profile) => {
      const { createdAtMs, credits, v0, skillsChangedAtMs, tier, uid, username } = profile
      const moved = v0 === 'moved' ? 1 : 0
      const placed = placedIn(profile)
      const { changes } = insert.run(
        ...[uid, username, tier, credits, placed, createdAtMs, skillsChangedAtMs, moved],
      )
      if (changes !== 1) return false
      for (const [callId, hold] of Object.entries(profile.holds)) putHold(uid, callId, hold)
      return true
    },
    setCredits: (uid, credits) => void setCredits.run(credits, uid),
    place: (uid, callId, hold, credits) => {
      const placement = intAt(countPlaced.get(credits, uid) ?? {}, 'placed')
      const placed = { ...hold, placement }
      putHold(uid, callId, placed)
      return placed
    },
    removeHold: (uid, callId) => void removeHold.run(uid, callId),
  }
}

/** The ledger goes on counting where the profile's own holds end. */
function placedIn({ holds }: Profile): number {
  return Math.max(0, ...Object.values(holds).map((hold) => hold.placement))
}

function profileFrom(row: Row, holds: readonly Row[]): Profile {
  const profile = {
    uid: textAt(row, 'uid'),
    username: textAt(row, 'username'),
    tier: textAt(row, 'tier'),
    credits: intAt(row, 'credits'),
    holds: Object.fromEntries(holds.map((hold) => [textAt(hold, 'callId'), holdFrom(hold)])),
    createdAtMs: intAt(row, 'createdAtMs'),
    skillsChangedAtMs: intAt(row, 'skillsChangedAtMs'),
  }
  return flagAt(row, 'moved') ? { ...profile, v0: 'moved' } : profile
}

function holdFrom(row: Row): Hold {
  return {
    amount: intAt(row, 'amount'),
    heldAtMs: intAt(row, 'heldAtMs'),
    writeToken: textAt(row, 'writeToken'),
    skillId: textAt(row, 'skillId'),
    source: wordAt(row, 'source', SKILL_SOURCES),
    placement: intAt(row, 'placement'),
  }
}
