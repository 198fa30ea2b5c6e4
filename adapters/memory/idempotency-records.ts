/**
 * In-memory twin of the port IdempotencyRecords. No method awaits between its reads and its writes, so of two
 * claimers one is first, and a kept answer is there whole or not at all.
 */
import type { Clock, IdempotencyRecords } from '../../core/ports.ts'
import { answerExpiresAtMs, type Database, ONLY } from './database.ts'

export function memoryIdempotencyRecords(database: Database, clock: Clock): IdempotencyRecords {
  database.idempotencyRecords.sweep(clock.nowMs())
  /** The record that `writeToken` claims, while nothing is kept in it. */
  const claimedBy = (id: string, writeToken: string) => {
    const standing = database.idempotencyRecords.get(id, ONLY)
    return standing?.writeToken === writeToken && standing.kept === 'not-yet' ? standing : undefined
  }
  return {
    claim: async (claim) => {
      const standing = database.idempotencyRecords.get(claim.id, ONLY)
      if (standing !== undefined && answerExpiresAtMs(standing) > claim.claimedAtMs) {
        if (claimedBy(claim.id, claim.writeToken) !== undefined) return { kind: 'claimed' }
        return { kind: 'standing', answer: standing }
      }
      database.idempotencyRecords.put(claim.id, ONLY, { ...claim, kept: 'not-yet' })
      database.idempotencyRecords.sweepSome(clock.nowMs())
      return { kind: 'claimed' }
    },
    keep: async ({ id, writeToken, sealed }) => {
      const claimed = claimedBy(id, writeToken)
      if (claimed !== undefined)
        database.idempotencyRecords.put(id, ONLY, { ...claimed, kept: sealed })
    },
    drop: async ({ id, writeToken }) => {
      if (claimedBy(id, writeToken) !== undefined) database.idempotencyRecords.remove(id, ONLY)
    },
  }
}
