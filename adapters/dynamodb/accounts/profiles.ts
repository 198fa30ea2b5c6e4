/** profile:{uid}: name, tier and credits of a user. Only ledger.ts moves credits. */
import type { Profile } from '../../../core/ledger/ledger.ts'
import { viewOfV0 } from '../../../core/ledger/v0.ts'
import type { Profiles } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { READ_V0_PERMISSIONS, readV0User } from '../migration/v0-users.ts'
import type { Permissions } from '../permission.ts'
import { profileFrom, profileItem } from '../records/profile-item.ts'
import { PROFILE_PK, profileKey } from '../table.ts'

export const PROFILES_PERMISSIONS: Permissions<Profiles> = {
  create: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [PROFILE_PK] }],
  read: READ_V0_PERMISSIONS,
  change: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }],
  noteSkillsChanged: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [PROFILE_PK] }],
}

export function dynamoProfiles(store: DynamoStore): Profiles {
  const table = store.tables.gateway
  return {
    // Two creators of one uid: the first put stands, the second gets `false`. Our own put sent
    // again after a lost answer finds itself, which is a success. Dying before: no user.
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
      // Read again together with the old records, at one moment: a move may have come in between.
      return item === undefined ? viewOfV0(uid, await readV0User(store, uid)) : profileFrom(item)
    },

    // Two changes at once: each writes its own fields, and the last write of a field stands. Sent
    // twice it writes the same again. Holds and credits move meanwhile and are not named here.
    // Without the condition a change would create a user that does not exist.
    async change(uid, { groups, username, tier }) {
      const to = {
        ...(username === undefined ? {} : { username }),
        ...(tier === undefined ? {} : { tier }),
        ...(groups === undefined ? {} : { groups }),
      }
      const fields = Object.keys(to).map((name) => `#${name} = :${name}`)
      const answer = await store.update(table, {
        key: profileKey(uid),
        set: `SET ${fields.join(', ')}`,
        if: 'attribute_exists(#pk)',
        values: to,
      })
      return answer.kind === 'written' ? profileFrom(answer.item) : undefined
    },

    // Two syncs at once, or with clocks that disagree: each moves the list version. A sync with an
    // older time adds one, so that no change goes unseen. Sent twice it moves twice, which costs
    // one more read of the list. Without the condition on pk the default would bring a deleted user
    // back.
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

function isSame(a: Profile, b: Profile): boolean {
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
