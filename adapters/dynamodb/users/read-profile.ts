/**
 * Reads profile:{uid}. The code that changes profiles is elsewhere, so that functions load it late.
 */
import { loadOnce } from '../../../core/cache/load-once.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { fromProfileItem } from '../records/profile-item.ts'
import { profileKey } from '../table.ts'

const loadV0Users = loadOnce(() => import('../migration/v0-users.ts'))

/** A user of the earlier service without a profile gets the one that a move will make. */
export async function readProfile(store: DynamoStore, uid: string): Promise<Profile | undefined> {
  const item = await store.get(store.tables.gateway, profileKey(uid), 'consistent')
  if (item !== undefined) return fromProfileItem(item)
  const v0Users = await loadV0Users()
  // Reads the profile again in one snapshot with the old records: a move may have come in between.
  return v0Users.findV0Profile(store, uid)
}
