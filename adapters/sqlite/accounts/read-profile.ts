/** Reads a user's row and the holds beside it; of one moment inside a transaction. */
import type { Hold, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { flagAt, intAt, type Row, textAt, textsAt, wordAt } from '../database/row.ts'

export function profileReader(database: Database): (uid: string) => Profile | undefined {
  const find = database.prepare('SELECT * FROM profiles WHERE uid = ?')
  const findHolds = database.prepare('SELECT * FROM holds WHERE uid = ?')
  return (uid) => {
    const row = find.get(uid)
    return row === undefined ? undefined : profileFrom(row, findHolds.all(uid))
  }
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
  const groups = textsAt(row, 'groups')
  return {
    ...profile,
    ...(flagAt(row, 'moved') ? { v0: 'moved' as const } : {}),
    ...(groups.length === 0 ? {} : { groups }),
  }
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
