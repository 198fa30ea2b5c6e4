/** profile:{uid}: who a user is. Credits move in ledger.ts only. */
import type { Profile } from '../../core/ledger/ledger.ts'
import type { Profiles } from '../../core/ports.ts'
import { profileFrom, profileItem } from './profile-item.ts'
import type { DynamoStore } from './store.ts'
import { PROFILE_PK, profileKey } from './table.ts'
import type { Touches } from './touch.ts'

export const PROFILES_TOUCHES: Touches<Profiles> = {
  create: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [PROFILE_PK] }],
  read: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [PROFILE_PK] }],
  touchSkills: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }],
}

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

    // Two syncs at once, or by clocks that disagree: each moves the mark, the one that comes with
    // an older time by one, so that no change goes unseen. Sent twice it moves twice, which costs
    // a look at the list. Without the condition on pk a touch would bring a deleted user back.
    async touchSkills(uid, nowMs) {
      const touch = { key: profileKey(uid), if: 'attribute_exists(#pk)' }
      const answer = await store.update(table, {
        ...touch,
        set: 'SET #skillsChangedAtMs = :nowMs',
        if: `${touch.if} AND #skillsChangedAtMs < :nowMs`,
        values: { nowMs },
      })
      if (answer.kind === 'written' || answer.old === undefined) return
      const set = 'SET #skillsChangedAtMs = #skillsChangedAtMs + :one'
      await store.update(table, { ...touch, set, values: { one: 1 } })
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
