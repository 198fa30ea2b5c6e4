/**
 * Removes rows whose time is over, two with each write that adds one: so expired rows never outgrow the
 * live ones, and no statement removes many. Readers compare the time themselves.
 */
import type { Database } from './database.ts'

const REMOVED_PER_WRITE = 2

/** `key` is the primary key, or `rowid`; the column has an index. Runs inside the caller's write. */
export function expiredRows(
  database: Database,
  { table, key, end }: { readonly table: string; readonly key: string; readonly end: string },
): (nowMs: number) => void {
  const remove = database.prepare(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${end} <= ? ORDER BY ${end} LIMIT ${REMOVED_PER_WRITE})`,
  )
  return (nowMs) => void remove.run(nowMs)
}
