/** In-memory twin of the port CallExcerpts. */
import type { CallExcerpts, Clock } from '../../core/ports.ts'
import type { Database } from './database.ts'

export function memoryCallExcerpts(database: Database, clock: Clock): CallExcerpts {
  return {
    put: async (excerpt) => {
      database.callExcerpts.put(excerpt.uid, excerpt.callId, excerpt)
      database.callExcerpts.sweepSome(clock.nowMs())
    },
    find: async ({ callId, uid }) => {
      const row = database.callExcerpts.get(uid, callId)
      return row !== undefined && row.expiresAtMs > clock.nowMs() ? row.text : undefined
    },
    dropOwned: async ({ limit, uid }) => {
      const rows = database.callExcerpts.list(uid, { limit: limit + 1 })
      for (const { callId } of rows.slice(0, limit)) database.callExcerpts.remove(uid, callId)
      return rows.length <= limit
    },
  }
}
