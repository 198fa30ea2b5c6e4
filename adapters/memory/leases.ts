/** In-memory twin of the port StreamLeases. */
import type { Clock, StreamLeases } from '../../core/ports.ts'
import type { StreamLease } from '../../core/session/session.ts'
import { type Database, ONLY } from './database.ts'

export function memoryLeases(database: Database, clock: Clock): StreamLeases {
  database.leases.sweep(clock.nowMs())
  const find = (lease: StreamLease) => database.leases.get(ONLY, sortOf(lease))
  const standing = (nowMs: number) =>
    database.leases.list(ONLY).filter((lease) => lease.expiresAtMs > nowMs)
  return {
    put: async (lease) => {
      if (find(lease) === undefined) database.leases.put(ONLY, sortOf(lease), lease)
      database.leases.sweepSome(clock.nowMs())
    },
    renew: async (lease) => {
      const standing = find(lease)
      if (standing === undefined) return false
      const expiresAtMs = Math.max(standing.expiresAtMs, lease.expiresAtMs)
      database.leases.put(ONLY, sortOf(lease), { ...standing, expiresAtMs })
      return true
    },
    list: async (nowMs) => standing(nowMs),
    listOfKey: async (keyHash, nowMs) => standing(nowMs).filter((one) => one.keyHash === keyHash),
    countOpening: async (nowMs) => ({
      atMost: standing(nowMs).length,
      openings: 0,
      list: undefined,
    }),
    noteListed: async () => {},
    remove: async (lease) => database.leases.remove(ONLY, sortOf(lease)),
  }
}

function sortOf({ keyHash, session }: { keyHash: string; session: string }): string {
  return `${keyHash}#${session}`
}
