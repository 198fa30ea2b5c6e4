/** In-memory twin of the port ToolsCache. The version is a serial number that only grows. */
import { randomBytes } from 'node:crypto'
import type { Clock, ToolsCache } from '../../core/ports.ts'
import { TOOLS_DRAFT_TTL_SEC } from '../../core/skills/limits.ts'
import { type Database, ONLY } from './database.ts'

export function memoryToolsCache(database: Database, clock: Clock): ToolsCache {
  const head = () => database.toolsCache.get(ONLY, ONLY) ?? { serial: 0, tools: undefined }
  return {
    read: async () => {
      const { serial, tools } = head()
      return tools === undefined ? undefined : { version: String(serial), tools }
    },
    write: async (tools, ifVersion) => {
      const { serial, tools: standing } = head()
      // Two writers from one version: the first raises the serial, so the second is refused.
      if ((standing === undefined ? undefined : String(serial)) !== ifVersion) return undefined
      database.toolsCache.put(ONLY, ONLY, { serial: serial + 1, tools })
      return String(serial + 1)
    },
    renew: async (ifVersion) => {
      const { serial, tools } = head()
      if (tools === undefined || String(serial) !== ifVersion) return false
      database.toolsCache.put(ONLY, ONLY, { serial: serial + 1, tools })
      return true
    },
    drop: async () => {
      const { serial, tools } = head()
      if (tools !== undefined) database.toolsCache.put(ONLY, ONLY, { serial, tools: undefined })
    },
    stage: async (tools) => {
      const id = `${clock.nowMs()}-${randomBytes(6).toString('hex')}`
      database.toolsDrafts.sweepSome(clock.nowMs())
      database.toolsDrafts.put(id, ONLY, { tools, stagedAtMs: clock.nowMs() })
      return id
    },
    staged: async (id) => {
      const row = database.toolsDrafts.get(id, ONLY)
      const isOver =
        row !== undefined && row.stagedAtMs + TOOLS_DRAFT_TTL_SEC * 1_000 <= clock.nowMs()
      return isOver ? undefined : row?.tools
    },
  }
}
