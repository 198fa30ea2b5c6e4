/** The rows behind the tools cache: one head, and the parts of each version. */
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'
import { inSteps } from '../database/steps.ts'

export type Head = { readonly version: string; readonly renewed: number; readonly parts: number }

/** Every writer is done long before; parts that no head names by then are of a process that died. */
const ORPHAN_AFTER_MS = 3_600_000
const PARTS_PER_STEP = 8

export function toolListRows(database: Database) {
  const readHead = database.prepare('SELECT version, renewed, parts FROM tool_list WHERE only = 1')
  const putHead = database.prepare(
    'INSERT OR REPLACE INTO tool_list (only, version, renewed, parts) VALUES (1, ?, ?, ?)',
  )
  const removeHead = database.prepare('DELETE FROM tool_list WHERE only = 1 RETURNING version')
  const readPart = database.prepare(
    'SELECT tools FROM tool_list_parts WHERE version = ? AND part = ?',
  )
  const putPart = database.prepare(
    'INSERT INTO tool_list_parts (version, part, tools, madeAtMs) VALUES (?, ?, ?, ?)',
  )
  const removeParts = database.prepare(
    `DELETE FROM tool_list_parts WHERE rowid IN
       (SELECT rowid FROM tool_list_parts WHERE version = ? LIMIT ${PARTS_PER_STEP})`,
  )
  const orphan = database.prepare(
    `SELECT version FROM tool_list_parts
     WHERE madeAtMs <= ? AND version NOT IN (SELECT version FROM tool_list) LIMIT 1`,
  )
  const removeAll = (version: string) =>
    inSteps(() => database.write(() => removeParts.run(version).changes === PARTS_PER_STEP))
  return {
    /** Inside a read or write of the caller, as the two below. */
    head: (): Head | undefined => {
      const row = readHead.get()
      return row === undefined ? undefined : headFrom(row)
    },
    putHead: ({ parts, renewed, version }: Head) => void putHead.run(version, renewed, parts),
    /** Returns the version that it named. */
    removeHead: (): Row | undefined => removeHead.get(),
    readPart: async (version: string, part: number): Promise<string | undefined> => {
      const row = await database.read(() => readPart.get(version, part))
      return row === undefined ? undefined : textAt(row, 'tools')
    },
    putPart: (put: { version: string; part: number; json: string; madeAtMs: number }) =>
      database.write(() => void putPart.run(put.version, put.part, put.json, put.madeAtMs)),
    /** Those of this version, and those that a process has left behind. */
    removeParts: async (version: string | undefined, nowMs: number): Promise<void> => {
      if (version !== undefined) await removeAll(version)
      const orphanId = await database.read(() => orphan.get(nowMs - ORPHAN_AFTER_MS))
      if (orphanId !== undefined) await removeAll(textAt(orphanId, 'version'))
    },
  }
}

function headFrom(row: Row): Head {
  return {
    version: textAt(row, 'version'),
    renewed: intAt(row, 'renewed'),
    parts: intAt(row, 'parts'),
  }
}
