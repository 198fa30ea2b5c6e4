/** The move of one user that the migration would make now, for a dry run. Writes nothing. */
import { isMovableUid } from '../../ledger/v0.ts'
import { planMigration } from '../../ledger/v0-plan.ts'
import { type MigrateNeeds, unmovable } from './migrate-user.ts'

/**
 * Plans the move of one user for a dry run and writes nothing. Other steps may find the user's
 * other records, so only one of them is reported: the credits, else the tier, else each key.
 */
export async function plannedMove(
  ports: MigrateNeeds,
  uid: string,
  by: 'credits' | 'key' | 'tier',
) {
  const records = await ports.v0.read(uid)
  const first =
    records.credits !== undefined ? 'credits' : records.tier !== undefined ? 'tier' : 'key'
  if (by !== first) return { born: false, amount: 0, faults: [] }
  if (!isMovableUid(uid)) return { born: false, amount: 0, faults: [unmovable(uid)] }
  const user = { uid, known: by === 'key', nowMs: ports.clock.nowMs() }
  const { amount, birth, faults } = planMigration(user, records)
  return { born: birth !== undefined, amount: amount?.whole ?? 0, faults }
}
