/**
 * Wraps the ports of a door that may move credits: a user of the earlier service is moved before
 * the user is read, changed or granted credits. Callers notice nothing, and users with a profile
 * cost nothing more. Bound by docs/decisions/0024-self-healing-migration.md.
 */
import type { Ledger } from '../../ports/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Profiles } from '../../ports/users.ts'
import { type MigrateNeeds, migrateUser } from './migrate-user.ts'

type Needs = MigrateNeeds & Pick<Ports, 'ledger'>

/** `profiles` and `ledger` with the same contracts as the ports that they wrap. */
export function withMigration(ports: Needs): { profiles: Profiles; ledger: Ledger } {
  const { profiles } = ports
  const read: Profiles['read'] = async (uid) => {
    const profile = await profiles.read(uid)
    if (profile?.v0 !== 'unmoved') return profile
    return (await migrateUser(ports, { uid })).profile
  }
  return {
    profiles: {
      read,
      readAll: (uids) => profiles.readAll(uids),
      // A user of the earlier service already has this uid.
      create: async (profile) =>
        (await read(profile.uid)) === undefined && profiles.create(profile),
      change: async (uid, to) => {
        const changed = await profiles.change(uid, to)
        if (changed !== undefined || (await read(uid)) === undefined) return changed
        return profiles.change(uid, to)
      },
      changeBudget: async (of) => {
        const changed = await profiles.changeBudget(of)
        if (changed !== undefined || (await read(of.uid)) === undefined) return changed
        return profiles.changeBudget(of)
      },
      changeKeyLimits: async (of) => {
        const changed = await profiles.changeKeyLimits(of)
        if (changed !== undefined || (await read(of.uid)) === undefined) return changed
        return profiles.changeKeyLimits(of)
      },
      noteSkillsChanged: (uid, nowMs) => profiles.noteSkillsChanged(uid, nowMs),
    },
    ledger: {
      ...ports.ledger,
      grant: async (grant) => {
        const answer = await ports.ledger.grant(grant)
        if (answer.kind !== 'no_profile' || (await read(grant.uid)) === undefined) return answer
        return ports.ledger.grant(grant)
      },
    },
  }
}
