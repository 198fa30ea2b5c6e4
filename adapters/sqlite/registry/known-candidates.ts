/**
 * The skills that a name may mean to a user, as this connection read them. They are valid while the
 * database's epoch stays the same and this connection changes no skill. A change is rare, so it drops them
 * all.
 */
import type { CallLookup } from '../../../core/ports.ts'
import type { Candidates } from '../../../core/skills/skill.ts'
import { knownRows } from '../database/known-rows.ts'

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
  const known = knownRows<Candidates>(KNOWN_CANDIDATES_MAX)
  return {
    of: (query, epoch) => known.of(keyOf(query), epoch),
    keep: (query, epoch, candidates) => known.keep(keyOf(query), epoch, candidates),
    forgetAll: known.forgetAll,
  }
}

/** The lengths tell where each text ends, whatever characters it has. */
function keyOf({ cut, name, skillId, uid }: Query): string {
  const end = cut === undefined ? '' : `+${cut}`
  return `${uid.length} ${name.length} ${skillId.length} ${uid}${name}${skillId}${end}`
}
