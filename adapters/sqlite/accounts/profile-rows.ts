/**
 * A user's row with the holds beside it, as every writer of money reads and writes them: inside one
 * transaction, so that credits and holds are of one moment.
 */
import type { Hold, MicroCredits, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { flagAt, intAt, type Row, textAt, wordAt } from '../database/row.ts'
import type { KnownHolds } from './known-holds.ts'

export type ProfileRows = {
  find(uid: string): Profile | undefined
  /** False when the uid is taken. */
  insert(profile: Profile): boolean
  setCredits(uid: string, credits: MicroCredits): void
  /** Takes the profile as it was found to one with this hold and these credits. */
  place(
    profile: Profile,
    callId: string,
    hold: Omit<Hold, 'placement'>,
    credits: MicroCredits,
  ): Profile
  /** To one without the hold of this call, and with these credits. */
  end(profile: Profile, callId: string, credits: MicroCredits): Profile
}

export function profileRows(database: Database, known: KnownHolds): ProfileRows {
  const find = database.prepare('SELECT * FROM profiles WHERE uid = ?')
  const findHolds = database.prepare('SELECT * FROM holds WHERE uid = ?')
  const insert = database.prepare(
    `INSERT INTO profiles
       (uid, username, tier, credits, placed, holdsToken, createdAtMs, skillsChangedAtMs, moved)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const insertHold = database.prepare(
    `INSERT INTO holds (uid, callId, amount, heldAtMs, writeToken, skillId, source, placement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const setCredits = database.prepare('UPDATE profiles SET credits = ? WHERE uid = ?')
  const place = database.prepare(
    `UPDATE profiles SET credits = ?, holdsToken = ?, placed = placed + 1 WHERE uid = ?
     RETURNING placed`,
  )
  const end = database.prepare('UPDATE profiles SET credits = ?, holdsToken = ? WHERE uid = ?')
  const removeHold = database.prepare('DELETE FROM holds WHERE uid = ? AND callId = ?')
  const putHold = (uid: string, callId: string, hold: Hold) => {
    const { amount, heldAtMs, placement, skillId, source, writeToken } = hold
    insertHold.run(uid, callId, amount, heldAtMs, writeToken, skillId, source, placement)
  }
  const holdsOf = (uid: string, token: string) => {
    const before = known.of(uid, token)
    if (before !== undefined) return before
    const rows = findHolds.all(uid)
    const holds = Object.fromEntries(rows.map((row) => [textAt(row, 'callId'), holdFrom(row)]))
    known.keep(uid, token, holds)
    return holds
  }
  return {
    find: (uid) => {
      const row = find.get(uid)
      return row === undefined
        ? undefined
        : profileFrom(row, holdsOf(uid, textAt(row, 'holdsToken')))
    },
    insert: (profile) => {
      const { createdAtMs, credits, skillsChangedAtMs, tier, uid, username, v0 } = profile
      const moved = v0 === 'moved' ? 1 : 0
      const values = [placedIn(profile), known.newToken(), createdAtMs, skillsChangedAtMs, moved]
      const { changes } = insert.run(uid, username, tier, credits, ...values)
      if (changes !== 1) return false
      for (const [callId, hold] of Object.entries(profile.holds)) putHold(uid, callId, hold)
      return true
    },
    setCredits: (uid, credits) => void setCredits.run(credits, uid),
    place: (profile, callId, hold, credits) => {
      const { uid } = profile
      const token = known.newToken()
      const placement = intAt(place.get(credits, token, uid) ?? {}, 'placed')
      putHold(uid, callId, { ...hold, placement })
      const holds = copied(profile.holds)
      holds[callId] = { ...hold, placement }
      known.keep(uid, token, holds)
      return { ...profile, credits, holds }
    },
    end: (profile, callId, credits) => {
      const { uid } = profile
      const token = known.newToken()
      end.run(credits, token, uid)
      removeHold.run(uid, callId)
      const holds = copied(profile.holds)
      delete holds[callId]
      known.keep(uid, token, holds)
      return { ...profile, credits, holds }
    },
  }
}

/**
 * Objects without a prototype, name by name: V8 keeps those as dictionaries. A literal with a new name
 * for each call would have it make, and never use again, a shape for each.
 */
function copied(holds: Profile['holds']): { [callId: string]: Hold } {
  return Object.assign(Object.create(null), holds)
}

/** The ledger goes on counting where the profile's own holds end. */
function placedIn({ holds }: Profile): number {
  return Math.max(0, ...Object.values(holds).map((hold) => hold.placement))
}

function profileFrom(row: Row, holds: Profile['holds']): Profile {
  const profile = {
    uid: textAt(row, 'uid'),
    username: textAt(row, 'username'),
    tier: textAt(row, 'tier'),
    credits: intAt(row, 'credits'),
    holds,
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
