/**
 * Keeps verifications in the memory of this process, by the hash of the token and its use. Bad ones
 * are kept apart from good ones, so that a flood of bad tokens displaces no good one. Callers with
 * one token share one verification. A verification that throws is not kept.
 */
import type { Verification } from '../../core/ports/issuers.ts'

/** Verifications of each kind. A good one holds the token's claims, a few kB. */
export const VERIFICATIONS_MAX = 1_000

export type VerificationCache = {
  /** `verify` returns how long its answer is kept. */
  get(id: string, verify: () => Promise<Kept>): Promise<Verification>
}

export type Kept = { readonly verification: Verification; readonly untilMs: number }

export function makeVerificationCache(nowMs: () => number): VerificationCache {
  const good = new Map<string, Kept>()
  const bad = new Map<string, Kept>()
  const running = new Map<string, Promise<Verification>>()

  const find = (id: string): Verification | undefined => {
    const kept = good.get(id) ?? bad.get(id)
    return kept !== undefined && nowMs() < kept.untilMs ? kept.verification : undefined
  }
  const run = async (id: string, verify: () => Promise<Kept>): Promise<Verification> => {
    try {
      const kept = await verify()
      good.delete(id)
      bad.delete(id)
      if (nowMs() < kept.untilMs) {
        keep(kept.verification.kind === 'verified' ? good : bad, id, kept)
      }
      return kept.verification
    } finally {
      running.delete(id)
    }
  }
  return {
    get: (id, verify) => {
      const kept = find(id)
      if (kept !== undefined) return Promise.resolve(kept)
      const started = running.get(id) ?? run(id, verify)
      running.set(id, started)
      return started
    },
  }
}

/** A Map keeps the order of insertion: the oldest entry is dropped. */
function keep(entries: Map<string, Kept>, id: string, kept: Kept): void {
  entries.set(id, kept)
  const [oldest] = entries.keys()
  if (entries.size > VERIFICATIONS_MAX && oldest !== undefined) entries.delete(oldest)
}
