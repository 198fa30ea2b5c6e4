/** The port Profiles over profile:{uid}. Only the ledger (ledger/ledger.ts) changes credits. */
import type { Profile } from '../../../core/ledger/ledger.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { READ_V0_PERMISSIONS } from '../migration/v0-permissions.ts'
import type { Permissions } from '../permission.ts'
import { makeEntryWrites } from '../records/directory-entries.ts'
import { fromProfileItem, toProfileItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey, USERS_PK } from '../table.ts'
import { CHANGE_BUDGET_PERMISSIONS } from './budget-writes.ts'
import { changeBudget } from './change-budget.ts'
import { changeKeyLimits } from './change-key-limits.ts'
import { CHANGE_PROFILE_PERMISSIONS, changeProfile } from './change-profile.ts'
import { readProfile } from './read-profile.ts'

export const PROFILES_PERMISSIONS: Permissions<Profiles> = {
  create: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [PROFILE_PK, USERS_PK] }],
  read: READ_V0_PERMISSIONS,
  readAll: [{ table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [PROFILE_PK] }],
  change: CHANGE_PROFILE_PERMISSIONS,
  changeBudget: CHANGE_BUDGET_PERMISSIONS,
  changeKeyLimits: CHANGE_BUDGET_PERMISSIONS,
  noteSkillsChanged: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }],
}

export function dynamoProfiles(store: DynamoStore): Profiles {
  const table = store.tables.gateway
  return {
    // Two creators of one uid: the first transaction succeeds, the second gets `false`. A
    // transaction that is repeated after a lost answer is recognised by its token, or finds its own
    // profile; both are a success. Dying before: there is neither a user nor an entry.
    async create(profile) {
      const put = { table, put: toProfileItem(profile), if: 'attribute_not_exists(#pk)' }
      const answer = await store.transact([put, ...makeEntryWrites(table, undefined, profile)])
      if (answer.kind === 'written') return true
      const old = answer.refusals[0]?.old
      return old !== undefined && isSameProfile(fromProfileItem(old), profile)
    },

    read: (uid) => readProfile(store, uid),

    async readAll(uids) {
      if (uids.length === 0) return new Map()
      const items = await store.batchGet(table, uids.map(profileKey), 'consistent')
      return new Map(items.map(fromProfileItem).map((profile) => [profile.uid, profile]))
    },

    change: (uid, to) => changeProfile(store, uid, to),
    changeBudget: (request) => changeBudget(store, request),
    changeKeyLimits: (request) => changeKeyLimits(store, request),

    // Two syncs at once, or with clocks that disagree: each increases the list version. A sync with
    // an older time adds one, so that no change is missed. A repeated write increases it twice,
    // which costs one more read of the list. Without the condition on pk, the update would create a
    // profile again.
    async noteSkillsChanged(uid, nowMs) {
      const base = { key: profileKey(uid), if: 'attribute_exists(#pk)' }
      const answer = await store.update(table, {
        ...base,
        set: 'SET #skillsChangedAtMs = :nowMs',
        if: `${base.if} AND #skillsChangedAtMs < :nowMs`,
        values: { nowMs },
      })
      if (answer.kind === 'written' || answer.old === undefined) return
      const set = 'SET #skillsChangedAtMs = #skillsChangedAtMs + :one'
      await store.update(table, { ...base, set, values: { one: 1 } })
    },
  }
}

function isSameProfile(a: Profile, b: Profile): boolean {
  return (
    a.createdAtMs === b.createdAtMs &&
    a.username === b.username &&
    a.tier === b.tier &&
    a.credits === b.credits &&
    a.skillsChangedAtMs === b.skillsChangedAtMs &&
    (a.groups ?? []).join() === (b.groups ?? []).join() &&
    Object.keys(a.holds).join() === Object.keys(b.holds).join()
  )
}
