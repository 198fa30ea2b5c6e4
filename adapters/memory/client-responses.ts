/** In-memory twin of the port ClientResponses. No method awaits between its reads and its writes. */
import type { ClientResponses, Clock } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryClientResponses(database: Database, clock: Clock): ClientResponses {
  database.clientResponses.sweep(clock.nowMs())
  return {
    expect: async ({ hash, expiresAtMs }) => {
      if (database.clientResponses.get(hash, ONLY) !== undefined) return
      database.clientResponses.put(hash, ONLY, { expiresAtMs, sealed: undefined })
      database.clientResponses.sweepSome(clock.nowMs())
    },
    put: async ({ hash, nowMs, sealed }) => {
      const question = database.clientResponses.get(hash, ONLY)
      if (question === undefined || question.sealed !== undefined) return false
      if (question.expiresAtMs <= nowMs) return false
      database.clientResponses.put(hash, ONLY, { ...question, sealed })
      return true
    },
    read: async (hash) => database.clientResponses.get(hash, ONLY)?.sealed,
  }
}
