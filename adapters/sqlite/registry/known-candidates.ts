/**
 * The skills that a name may mean to a user, as this connection read them. They are valid while the
 * database's epoch stays the same and this connection changes no skill. A change is rare, so it drops them
 * all.
 */
import type { CallLookup } from '../../../core/ports.ts'
import type { Candidates } from '../../../core/skills/skill.ts'

type Query = Parameters<CallLookup['read']>[0]

export type KnownCandidates = {
  /** Undefined when they must be read. */
  of(query: Query, epoch: number): Candidates | undefined
  keep(query: Query, epoch: number, candidates: Candidates): void
  forgetAll(): void
}

/** Pairs of user and name; each holds objects that others hold as well. */
export const KNOWN_CANDIDATES_MAX = 4_000

export function knownCandidates(): KnownCandidates {
  const known = new Map<string, Candidates>()
  let atEpoch = 0
  return {
    of: (query, epoch) => (epoch === atEpoch ? known.get(keyOf(query)) : undefined),
    keep: (query, epoch, candidates) => {
      if (epoch !== atEpoch || known.size >= KNOWN_CANDIDATES_MAX) known.clear()
      atEpoch = epoch
      known.set(keyOf(query), candidates)
    },
    forgetAll: () => known.clear(),
  }
}

function keyOf({ cut, name, skillId, uid }: Query): string {
  return JSON.stringify([uid, name, skillId, cut])
}
