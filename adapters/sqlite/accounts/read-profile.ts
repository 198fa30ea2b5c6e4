/** Reads a user's row and the holds beside it; of one moment inside a transaction. */
import { type Disabled, USER_STATES } from '../../../core/access/user-state.ts'
import type { Hold, Profile } from '../../../core/ledger/ledger.ts'
import { SKILL_SOURCES } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import {
  flagAt,
  intAt,
  optionalIntAt,
  optionalTextAt,
  type Row,
  textAt,
  textsAt,
  wordAt,
} from '../database/row.ts'
import { budgetsAt, countedAt } from './budget-columns.ts'
import type { KnownProfile } from './known-profiles.ts'

export function profileReader(database: Database): (uid: string) => KnownProfile | undefined {
  const find = database.prepare('SELECT * FROM profiles WHERE uid = ?')
  const findHolds = database.prepare('SELECT * FROM holds WHERE uid = ?')
  return (uid) => {
    const row = find.get(uid)
    if (row === undefined) return undefined
    return { profile: profileFrom(row, findHolds.all(uid)), placed: intAt(row, 'placed') }
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
    ...budgetsAt(row),
  }
  const disabled = disabledFrom(row)
  const identity = optionalTextAt(row, 'identity')
  const groups = textsAt(row, 'groups')
  const lowBalanceAt = optionalIntAt(row, 'lowBalanceAt')
  const lowBalanceTold = optionalTextAt(row, 'lowBalanceTold')
  return {
    ...profile,
    ...(flagAt(row, 'moved') ? { v0: 'moved' } : {}),
    ...(disabled === undefined ? {} : { disabled }),
    ...(identity === undefined ? {} : { identity }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(lowBalanceAt === undefined ? {} : { lowBalanceAt }),
    ...(lowBalanceTold === undefined ? {} : { lowBalanceTold }),
  }
}

function disabledFrom(row: Row): Disabled | undefined {
  const state = wordAt(row, 'state', USER_STATES)
  if (state === 'active') return undefined
  return { state, reason: textAt(row, 'stateReason'), sinceMs: intAt(row, 'stateSinceMs') }
}

function holdFrom(row: Row): Hold {
  return {
    amount: intAt(row, 'amount'),
    heldAtMs: intAt(row, 'heldAtMs'),
    writeToken: textAt(row, 'writeToken'),
    skillId: textAt(row, 'skillId'),
    source: wordAt(row, 'source', SKILL_SOURCES),
    placement: intAt(row, 'placement'),
    ...countedAt(row),
  }
}
