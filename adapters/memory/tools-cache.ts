/** In-memory twin of the port ToolsCache. The version is a serial number that only grows. */
import type { ToolsCache } from '../../core/ports.ts'
import { type Cells, ONLY } from './cells.ts'

export function memoryToolsCache(cells: Cells): ToolsCache {
  const head = () => cells.toolsCache.get(ONLY, ONLY) ?? { serial: 0, tools: undefined }
  return {
    read: async () => {
      const { serial, tools } = head()
      return tools === undefined ? undefined : { version: String(serial), tools }
    },
    write: async (tools, ifVersion) => {
      const { serial, tools: standing } = head()
      // Two writers from one version: the first raises the serial, so the second is refused.
      if ((standing === undefined ? undefined : String(serial)) !== ifVersion) return undefined
      cells.toolsCache.put(ONLY, ONLY, { serial: serial + 1, tools })
      return String(serial + 1)
    },
    drop: async () => {
      const { serial, tools } = head()
      if (tools !== undefined) cells.toolsCache.put(ONLY, ONLY, { serial, tools: undefined })
    },
  }
}
