/** The port Profiles for functions that mostly read: the code of changes is loaded at first use. */
import { makeLatePort } from '../../../core/cache/late-port.ts'
import { loadOnce } from '../../../core/cache/load-once.ts'
import type { Profiles } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { readProfile } from './read-profile.ts'

export function lateProfiles(store: DynamoStore): Profiles {
  const late = makeLatePort<Profiles>(
    loadOnce(async () => {
      const { dynamoProfiles } = await import('./profiles.ts')
      return dynamoProfiles(store)
    }),
  )
  return {
    read: (uid) => readProfile(store, uid),
    readAll: (uids) => late.readAll(uids),
    create: (profile) => late.create(profile),
    change: (uid, to) => late.change(uid, to),
    changeBudget: (of) => late.changeBudget(of),
    changeKeyLimits: (of) => late.changeKeyLimits(of),
    noteSkillsChanged: (uid, nowMs) => late.noteSkillsChanged(uid, nowMs),
  }
}
