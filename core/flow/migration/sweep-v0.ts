/**
 * Every minute: moves the keys of the earlier service that some door has seen, and their users with them.
 * A door of agents cannot make a key; it asks, and this function, which nobody can call, looks for itself
 * whose key it is. Bounded; what is left stays asked for. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import { type MigrateNeeds, migrateKey } from './migrate-user.ts'

/** Keys moved by one run: four requests each, so some seconds at most. */
export const V0_KEYS_MAX = 200

/** Dies anywhere: the key stays asked for, and is found moved, or moved, by the next run. */
export async function sweepV0(
  ports: MigrateNeeds & Pick<Ports, 'v0'>,
): Promise<{ readonly keys: number }> {
  let keys = 0
  for (const keyHash of await ports.v0.asked(V0_KEYS_MAX)) {
    try {
      const { moved } = await migrateKey(ports, keyHash)
      if (moved) keys += 1
      await ports.v0.answered(keyHash)
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      ports.log.note('error', 'v0-failed', {}, cause)
    }
  }
  return { keys }
}
