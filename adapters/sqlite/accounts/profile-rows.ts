/**
 * A user's row with the holds beside it, as every writer of money reads and writes them: inside one
 * transaction, so that credits and holds are of one moment. A connection has one `ProfileRows`, and all
 * its writes of these two tables go through it, since it remembers what it read and wrote.
 */
import { foldedIdentity, foldedName } from '../../../core/access/user-names.ts'
import { stateOf } from '../../../core/access/user-state.ts'
import type { Hold, MicroCredits, Profile } from '../../../core/ledger/ledger.ts'
import type { Database } from '../database/database.ts'
import { type Budgets, budgetsColumn, countedColumn } from './budget-columns.ts'
import { knownProfiles } from './known-profiles.ts'
import { profileReader } from './read-profile.ts'

export type ProfileRows = {
  find(uid: string): Profile | undefined
  /** The cached profile of this epoch of the database; undefined when rows must be read. */
  known(uid: string, epoch: number): Profile | undefined
  /** False when the uid is taken. */
  insert(profile: Profile): boolean
  setCredits(uid: string, credits: MicroCredits): void
  /** Writes what an administrator may change, as this profile has it. */
  change(profile: Profile): void
  setBudgets(uid: string, budgets: Budgets): void
  /** The event that told of a low balance, or none. */
  setLowBalanceTold(uid: string, eventId: string | null): void
  noteSkillsChanged(uid: string, nowMs: number): void
  /** Whether sweeps still look for credits at the earlier service. */
  setMoved(uid: string, isMoved: boolean): void
  /** Adds this hold to the profile as it was found, with the credits and budgets after it. */
  place(profile: Profile, callId: string, hold: Omit<Hold, 'placement'>, money: Money): Profile
  /** Removes the hold of this call, with the credits and budgets after it. */
  end(profile: Profile, callId: string, money: Money): Profile
}

/** Budgets that are absent stay. */
export type Money = Budgets & { readonly credits: MicroCredits }

export function profileRows(database: Database): ProfileRows {
  const known = knownProfiles()
  const read = profileReader(database)
  const run = statements(database)
  /** The next reader reads the row. */
  const forgetting =
    <T>(write: (uid: string, value: T) => void) =>
    (uid: string, value: T) => {
      write(uid, value)
      known.forget(uid)
    }
  const keep = (profile: Profile, placed: number) => {
    known.keep({ profile, placed }, database.epoch())
    return profile
  }
  const findKnown = (uid: string) => {
    const epoch = database.epoch()
    const before = known.of(uid, epoch)
    if (before !== undefined) return before
    const found = read(uid)
    if (found !== undefined) known.keep(found, epoch)
    return found
  }
  const after = (profile: Profile, holds: Profile['holds'], money: Money): Profile => {
    const { budget, credits, keyBudgets } = money
    // Most users have no budgets, and V8 copies into a copy slowly.
    if (budget === undefined && keyBudgets === undefined) return { ...profile, credits, holds }
    const changed = { ...profile, ...money, holds }
    run.setBudgets(profile.uid, changed)
    return changed
  }
  return {
    known: (uid, epoch) => known.of(uid, epoch)?.profile,
    find: (uid) => findKnown(uid)?.profile,
    insert: (profile) => {
      if (!run.insert(profile)) return false
      for (const [callId, hold] of Object.entries(profile.holds)) {
        run.insertHold(profile.uid, callId, hold)
      }
      known.forget(profile.uid)
      return true
    },
    setCredits: forgetting(run.setCredits),
    change: (profile) => {
      run.change(profile)
      known.forget(profile.uid)
    },
    noteSkillsChanged: forgetting(run.noteSkillsChanged),
    setMoved: forgetting(run.setMoved),
    setBudgets: forgetting(run.setBudgets),
    setLowBalanceTold: forgetting(run.setLowBalanceTold),
    place: (profile, callId, newHold, money) => {
      const { uid } = profile
      const placement = (findKnown(uid)?.placed ?? 0) + 1
      run.countHold(uid, money.credits, placement)
      const hold = { ...newHold, placement }
      run.insertHold(uid, callId, hold)
      const holds = copied(profile.holds)
      holds[callId] = hold
      return keep(after(profile, holds, money), placement)
    },
    end: (profile, callId, money) => {
      const { uid } = profile
      const placed = findKnown(uid)?.placed ?? 0
      if (money.credits !== profile.credits) run.setCredits(uid, money.credits)
      run.removeHold(uid, callId)
      return keep(after(profile, copied(profile.holds, callId), money), placed)
    },
  }
}

function statements(database: Database) {
  const insert = database.prepare(
    `INSERT INTO profiles
       (uid, username, nameKey, tier, credits, placed, createdAtMs, skillsChangedAtMs, moved,
        budgets, groups)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const setCredits = database.prepare('UPDATE profiles SET credits = ? WHERE uid = ?')
  const change = database.prepare(
    `UPDATE profiles SET username = ?, nameKey = ?, tier = ?, identity = ?, identityKey = ?,
       state = ?, stateReason = ?, stateSinceMs = ?, groups = ?, lowBalanceAt = ? WHERE uid = ?`,
  )
  const noteSkillsChanged = database.prepare(
    'UPDATE profiles SET skillsChangedAtMs = max(?, skillsChangedAtMs + 1) WHERE uid = ?',
  )
  const setBudgets = database.prepare('UPDATE profiles SET budgets = ? WHERE uid = ?')
  const setLowBalanceTold = database.prepare('UPDATE profiles SET lowBalanceTold = ? WHERE uid = ?')
  const setMoved = database.prepare('UPDATE profiles SET moved = ? WHERE uid = ?')
  const countHold = database.prepare('UPDATE profiles SET credits = ?, placed = ? WHERE uid = ?')
  const insertHold = database.prepare(
    `INSERT INTO holds (uid, callId, amount, heldAtMs, writeToken, skillId, source, placement, counted)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const removeHold = database.prepare('DELETE FROM holds WHERE uid = ? AND callId = ?')
  return {
    /** False when the uid is taken. */
    insert: (profile: Profile) => {
      const { createdAtMs, credits, skillsChangedAtMs, tier, uid, username, v0 } = profile
      const moved = v0 === 'moved' ? 1 : 0
      const times = [createdAtMs, skillsChangedAtMs]
      const more = [budgetsColumn(profile), groupsIn(profile)]
      const values = [placedIn(profile), ...times, moved, ...more]
      const name = [username, foldedName(username)]
      return insert.run(uid, ...name, tier, credits, ...values).changes === 1
    },
    setCredits: (uid: string, credits: MicroCredits) => void setCredits.get(credits, uid),
    change: (profile: Profile) => {
      const { disabled, identity, lowBalanceAt, tier, uid, username } = profile
      const identityKey = identity === undefined ? null : foldedIdentity(identity)
      const state = [stateOf(profile), disabled?.reason ?? null, disabled?.sinceMs ?? null]
      const name = [username, foldedName(username)]
      const more = [groupsIn(profile), lowBalanceAt ?? null]
      change.run(...name, tier, identity ?? null, identityKey, ...state, ...more, uid)
    },
    noteSkillsChanged: (uid: string, nowMs: number) => void noteSkillsChanged.run(nowMs, uid),
    setBudgets: (uid: string, budgets: Budgets) => void setBudgets.run(budgetsColumn(budgets), uid),
    setLowBalanceTold: (uid: string, eventId: string | null) =>
      void setLowBalanceTold.run(eventId, uid),
    setMoved: (uid: string, isMoved: boolean) => void setMoved.run(isMoved ? 1 : 0, uid),
    /** `placed`: the number of this hold. */
    countHold: (uid: string, credits: MicroCredits, placed: number) =>
      void countHold.get(credits, placed, uid),
    insertHold: (uid: string, callId: string, hold: Hold) => {
      const { amount, counted, heldAtMs, placement, skillId, source, writeToken } = hold
      const end = countedColumn(counted)
      // Not spread from a list: a call places one.
      insertHold.get(uid, callId, amount, heldAtMs, writeToken, skillId, source, placement, end)
    },
    removeHold: (uid: string, callId: string) => void removeHold.get(uid, callId),
  }
}

/**
 * V8 keeps an object without a prototype as a dictionary. For a literal with the call id as its member V8
 * would make a hidden class for each call, and use it once.
 */
function copied(holds: Profile['holds'], without?: string): { [callId: string]: Hold } {
  const copy: { [callId: string]: Hold } = Object.create(null)
  for (const callId of Object.keys(holds)) {
    const hold = holds[callId]
    if (hold !== undefined && callId !== without) copy[callId] = hold
  }
  return copy
}

function groupsIn({ groups = [] }: Profile): string {
  return JSON.stringify(groups)
}

/** The ledger numbers the next hold after the profile's own holds. */
function placedIn({ holds }: Profile): number {
  return Math.max(0, ...Object.values(holds).map((hold) => hold.placement))
}
