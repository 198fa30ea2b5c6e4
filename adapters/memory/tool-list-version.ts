/** In-memory twin of the port Broadcast. */
import type { Broadcast } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'

export function memoryBroadcast(cells: Cells): Broadcast {
  const read = () => cells.broadcast.get(ONLY, ONLY)?.atMs ?? 0
  return {
    read: async () => read(),
    write: async (nowMs) => {
      const atMs = Math.max(nowMs, read() + 1)
      cells.broadcast.put(ONLY, ONLY, { atMs })
      return atMs
    },
  }
}
