/** profile:{uid}: who a user is. Credits move in ledger.ts only. */
import type { Profile } from '../../core/ledger/ledger.ts'
import type { Profiles } from '../../core/ports.ts'
import { profileFrom, profileItem } from './profile-item.ts'
import type { DynamoStore } from './store.ts'
import { profileKey } from './table.ts'

export function dynamoProfiles(store: DynamoStore): Profiles {
  const table = store.tables.gateway
  return {
    // Two creators of one uid: the first put stands, the second is told `false`. Our own put sent
    // again after a lost answer finds exactly itself, which is a success. Dying before: no user.
    async create(profile) {
      const answer = await store.put(table, {
        item: profileItem(profile),
        if: 'attribute_not_exists(#pk)',
      })
      if (answer.kind === 'written') return true
      return answer.old !== undefined && isSame(profileFrom(answer.old), profile)
    },

    async read(uid) {
      const item = await store.get(table, profileKey(uid), 'consistent')
      return item === undefined ? undefined : profileFrom(item)
    },

    // Two syncs at once: the later time stands whatever their order; the earlier is refused and
    // nothing is lost. Without the condition on pk a touch would bring a deleted user back.
    async touchSkills(uid, nowMs) {
      await store.update(table, {
        key: profileKey(uid),
        set: 'SET #skillsChangedAtMs = :nowMs',
        if: 'attribute_exists(#pk) AND #skillsChangedAtMs < :nowMs',
        values: { nowMs },
      })
    },
  }
}

function isSame(a: Profile, b: Profile): boolean {
  return (
    a.createdAtMs === b.createdAtMs &&
    a.username === b.username &&
    a.tier === b.tier &&
    a.credits === b.credits &&
    a.skillsChangedAtMs === b.skillsChangedAtMs &&
    Object.keys(a.holds).join() === Object.keys(b.holds).join()
  )
}
