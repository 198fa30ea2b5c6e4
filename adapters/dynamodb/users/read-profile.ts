/** profile:{uid} as a request reads it; apart from what changes it, which the functions that agents wait for load late. */
import { loadOnce } from '../../../core/cache/load-once.ts'
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { profileFrom } from '../records/profile-item.ts'
import { profileKey } from '../table.ts'

const v0Users = loadOnce(() => import('../migration/v0-users.ts'))

export async function readProfile(store: DynamoStore, uid: string): Promise<Profile | undefined> {
  const item = await store.get(store.tables.gateway, profileKey(uid), 'consistent')
  if (item !== undefined) return profileFrom(item)
  const { v0ProfileView } = await v0Users()
  // Reads again together with the old records, at one moment: a move may have come in between.
  return v0ProfileView(store, uid)
}
