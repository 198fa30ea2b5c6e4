/** In-memory twin of the port StreamLeases. */
import type { Clock, StreamLeases } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'

export function memoryLeases(cells: Cells, clock: Clock): StreamLeases {
  cells.leases.sweep(clock.nowMs())
  return {
    put: async (lease) => {
      cells.leases.put(ONLY, sortOf(lease), lease)
      cells.leases.sweepSome(clock.nowMs())
    },
    list: async (nowMs) => cells.leases.list(ONLY).filter((lease) => lease.expiresAtMs > nowMs),
    remove: async (lease) => cells.leases.remove(ONLY, sortOf(lease)),
  }
}

function sortOf({ keyHash, session }: { keyHash: string; session: string }): string {
  return `${keyHash}#${session}`
}
