/** In-memory twin of the port ToolListVersion. */
import type { ToolListVersion } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryToolListVersion(database: Database): ToolListVersion {
  const read = () => database.toolListVersion.get(ONLY, ONLY)?.atMs ?? 0
  return {
    read: async () => read(),
    recent: async () => read(),
    write: async (nowMs) => {
      const atMs = Math.max(nowMs, read() + 1)
      database.toolListVersion.put(ONLY, ONLY, { atMs })
      database.bells.ring('tool-lists')
      return atMs
    },
  }
}
