/**
 * Moves the keys of the earlier service that a door has seen, with their users, once a minute.
 * Agent-facing functions may not write keys, so they queue a request; this scheduled function,
 * which has no callers, finds the owner. A run is bounded, and the rest stays queued. Bound by
 * docs/decisions/0024-self-healing-migration.md.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { type MigrateNeeds, migrateKey } from './migrate-user.ts'

/** Keys of one run. Each costs four requests, so a run takes some seconds at most. */
export const V0_KEYS_MAX = 200

/**
 * Returns how many keys were moved. A crash leaves the key queued: the next run moves it or finds
 * it moved.
 */
export async function sweepV0(
  ports: MigrateNeeds & Pick<Ports, 'v0'>,
): Promise<{ readonly keys: number }> {
  let keys = 0
  for (const keyHash of await ports.v0.queuedKeys(V0_KEYS_MAX)) {
    try {
      const { moved } = await migrateKey(ports, keyHash)
      if (moved) keys += 1
      await ports.v0.dequeueKey(keyHash)
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      ports.log.note('error', 'v0-failed', {}, cause)
    }
  }
  return { keys }
}
