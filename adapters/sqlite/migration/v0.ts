/** The port V0Records. A move is on the disk before its method resolves. */
import type { V0Records } from '../../../core/ports.ts'
import type { ProfileRows } from '../accounts/profile-rows.ts'
import type { Database } from '../database/database.ts'
import { textAt } from '../database/row.ts'
import { v0Keys } from './v0-keys.ts'
import { recordFrom, V0_KINDS, type V0Rows, v0Rows } from './v0-rows.ts'
import { v0Users } from './v0-users.ts'

export function sqliteV0(database: Database, profiles: ProfileRows): V0Records {
  const rows = v0Rows(database)
  const users = v0Users(database, profiles)
  const keys = v0Keys(database)
  const requestedKeys = database.prepare(
    "SELECT keyHash FROM v0_asked WHERE keyHash > '' ORDER BY keyHash LIMIT ?",
  )
  const removeRequest = database.prepare('DELETE FROM v0_asked WHERE keyHash = ?')
  return {
    read: (uid) => database.snapshot(() => users.userOf(uid)),
    move: (move) => database.writeDurably(() => users.move(move)),
    watch: (uid, on) => database.writeDurably(() => users.watch(uid, on)),
    findKey: keys.find,
    moveKey: keys.move,
    queuedKeys: async (limit) =>
      (await database.read(() => requestedKeys.all(limit))).map((row) => textAt(row, 'keyHash')),
    dequeueKey: (keyHash) => database.write(() => void removeRequest.run(keyHash)),
    scan: (from) => database.read(() => scan(rows, from)),
  }
}

/** In the order of the primary key. A place is kind and name, with a space between. */
function scan(
  rows: V0Rows,
  { after, limit }: Parameters<V0Records['scan']>[0],
): Awaited<ReturnType<V0Records['scan']>> {
  const [kind = '', ...name] = (after ?? '').split(' ')
  if (after !== undefined && !V0_KINDS.some((known) => known === kind)) return undefined
  const found = rows.beyond(kind, name.join(' '), limit + 1)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const next = found.length > limit && last !== undefined ? `${last.kind} ${last.name}` : undefined
  return { records: shown.map(recordFrom), next }
}
