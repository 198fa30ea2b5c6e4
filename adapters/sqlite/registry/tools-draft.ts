/** Pieces of a list that is made in steps. A piece has at least one row, also when it is empty. */
import { randomBytes } from 'node:crypto'
import type { Clock, ToolsCache } from '../../../core/ports.ts'
import { TOOLS_DRAFT_TTL_SEC } from '../../../core/skills/limits.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { intAt, textAt } from '../database/row.ts'
import { readParts, writeParts } from './tool-parts.ts'

export function toolDrafts(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
): Pick<ToolsCache, 'stage' | 'staged'> {
  const put = database.prepare(
    'INSERT INTO tool_drafts (id, part, tools, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const count = database.prepare(
    'SELECT count(*) AS parts FROM tool_drafts WHERE id = ? AND expiresAtMs > ?',
  )
  const read = database.prepare('SELECT tools FROM tool_drafts WHERE id = ? AND part = ?')
  const removeOld = expiredRows(database, {
    table: 'tool_drafts',
    key: 'rowid',
    end: 'expiresAtMs',
  })
  return {
    stage: async (tools) => {
      const nowMs = clock.nowMs()
      const id = `${nowMs}-${randomBytes(6).toString('hex')}`
      const putPart = (part: number, json: string) =>
        database.write(() => {
          put.run(id, part, json, nowMs + TOOLS_DRAFT_TTL_SEC * 1_000)
          removeOld(nowMs)
        })
      // Answered after the last one: nobody can ask for a piece that is not whole.
      const parts = await writeParts(tools, putPart)
      if (parts === 0) await putPart(0, '[]')
      return id
    },
    staged: async (id) => {
      const row = await database.read(() => count.get(id, clock.nowMs()))
      const parts = row === undefined ? 0 : intAt(row, 'parts')
      if (parts === 0) return undefined
      return readParts(parts, async (part) => {
        const found = await database.read(() => read.get(id, part))
        return found === undefined ? undefined : textAt(found, 'tools')
      })
    },
  }
}
