/** In-memory twin of the port StreamLeases. */
import type { Clock, StreamLeases } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryLeases(database: Database, clock: Clock): StreamLeases {
  database.leases.sweep(clock.nowMs())
  return {
    put: async (lease) => {
      database.leases.put(ONLY, sortOf(lease), lease)
      database.leases.sweepSome(clock.nowMs())
    },
    list: async (nowMs) => database.leases.list(ONLY).filter((lease) => lease.expiresAtMs > nowMs),
    remove: async (lease) => database.leases.remove(ONLY, sortOf(lease)),
  }
}

function sortOf({ keyHash, session }: { keyHash: string; session: string }): string {
  return `${keyHash}#${session}`
}
