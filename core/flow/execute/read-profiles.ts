/**
 * Reads the profiles of many users in few requests, so that a sweep can visit everybody who called in a minute. Bound
 * by ADR 0073.
 */
import { Fault } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { PROFILES_READ_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'

/**
 * Those that could be read, by uid; `uids` are different. A user who is missing is read again alone, by whom it may
 * concern: that read finds a user of the earlier service, or fails for one user and not for a hundred.
 */
export async function readProfiles(
  { profiles }: Pick<Ports, 'profiles'>,
  uids: readonly string[],
): Promise<ReadonlyMap<string, Profile>> {
  const groups = inGroups(uids, PROFILES_READ_MAX)
  const reads = await Promise.allSettled(groups.map((group) => profiles.readAll(group)))
  return new Map(reads.flatMap(foundBy))
}

function foundBy(
  read: PromiseSettledResult<ReadonlyMap<string, Profile>>,
): readonly (readonly [string, Profile])[] {
  if (read.status === 'fulfilled') return [...read.value]
  if (read.reason instanceof Fault) return []
  throw read.reason
}

/** In their order, `most` in each group but the last. */
export function inGroups<Item>(items: readonly Item[], most: number): readonly Item[][] {
  const groups = Math.ceil(items.length / most)
  return Array.from({ length: groups }, (_, at) => items.slice(at * most, (at + 1) * most))
}
