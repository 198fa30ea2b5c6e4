/** The port UserDirectory: pages of profiles in the order of an index, one statement for each filter. */
import type { ListedUser, UserFilter, UserPlace } from '../../../core/access/user-directory.ts'
import { placeOf } from '../../../core/access/user-directory.ts'
import { foldedIdentity } from '../../../core/access/user-names.ts'
import { USER_STATES } from '../../../core/access/user-state.ts'
import type { UserDirectory } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, optionalTextAt, type Row, textAt, textsAt, wordAt } from '../database/row.ts'

/** Sorts after every character that a name may have. */
const LAST_CHARACTER = '\u{10FFFF}'

export function sqliteUserDirectory(database: Database): UserDirectory {
  const select = statements(database)
  const owner = database.prepare('SELECT uid FROM profiles WHERE identityKey = ?')
  return {
    page: async ({ after, limit, prefix, ...filter }) => {
      const from: UserPlace = after ?? { name: prefix, uid: '' }
      const range = [from.name, from.uid, `${prefix}${LAST_CHARACTER}`]
      const wanted = [filter.tier, filter.state].filter((one) => one !== undefined)
      const within = filter.group === undefined ? [] : [filter.group]
      const statement = select(filter)
      const rows = await database.read(() =>
        statement.all(...within, ...range, ...wanted, limit + 1),
      )
      const users = rows.slice(0, limit).map(listedFrom)
      const last = users.at(-1)
      return { users, next: last !== undefined && rows.length > limit ? placeOf(last) : undefined }
    },
    uidOf: async (identity) => {
      const row = await database.read(() => owner.get(foldedIdentity(identity)))
      return row === undefined ? undefined : textAt(row, 'uid')
    },
  }
}

function statements(database: Database) {
  // The index of users who are not active is used where the text of the statement implies its own.
  const states = {
    any: "AND state <> 'deleted'",
    active: 'AND state = ?',
    closed: "AND state <> 'active' AND state = ?",
  }
  const shown = 'uid, username, tier, state, identity, groups, createdAtMs'
  const prepare = (of: string) =>
    database.prepare(
      `SELECT ${shown} FROM profiles
       WHERE (nameKey, uid) > (?, ?) AND nameKey <= ? ${of} ORDER BY nameKey, uid LIMIT ?`,
    )
  const inGroup = (of: string) =>
    database.prepare(
      `SELECT profiles.${shown.replaceAll(' ', ' profiles.')} FROM user_groups AS listed
       CROSS JOIN profiles ON profiles.uid = listed.uid
       WHERE listed.name = ? AND (listed.nameKey, listed.uid) > (?, ?) AND listed.nameKey <= ? ${of}
       ORDER BY listed.nameKey, listed.uid LIMIT ?`,
    )
  const all = Object.fromEntries(
    Object.entries(states).flatMap(([name, state]) => [
      [name, prepare(state)],
      [`${name} tier`, prepare(`AND tier = ? ${state}`)],
      [`${name} group`, inGroup(state)],
      [`${name} tier group`, inGroup(`AND tier = ? ${state}`)],
    ]),
  )
  return ({ group, state, tier }: UserFilter) => {
    const name = state === undefined ? 'any' : state === 'active' ? 'active' : 'closed'
    const narrowed = `${name}${tier === undefined ? '' : ' tier'}${group === undefined ? '' : ' group'}`
    return all[narrowed] ?? prepare(states.any)
  }
}

function listedFrom(row: Row): ListedUser {
  const identity = optionalTextAt(row, 'identity')
  const groups = textsAt(row, 'groups')
  return {
    uid: textAt(row, 'uid'),
    username: textAt(row, 'username'),
    tier: textAt(row, 'tier'),
    state: wordAt(row, 'state', USER_STATES),
    ...(identity === undefined ? {} : { identity }),
    ...(groups.length === 0 ? {} : { groups }),
    createdAtMs: intAt(row, 'createdAtMs'),
  }
}
