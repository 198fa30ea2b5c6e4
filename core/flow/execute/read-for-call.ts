/**
 * What a call reads before it is judged, in one round trip: count the minute, which enters the user for the sweep ∥
 * read the user, the skills that the name may mean, and how the user's last calls ended.
 */
import { minuteOf } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { isInRow, type StandingProfile, standing } from '../../ledger/leftovers.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { Candidates, SkillRecord } from '../../skills/skill.ts'
import { storedPrice } from '../../skills/stored-skill.ts'
import { migrateLate } from '../migration/migrate-late.ts'
import type { MigrateNeeds } from '../migration/migrate-user.ts'
import { callsPerMinute } from './judge-profile.ts'
import { lookupOf } from './listed-skill.ts'

type ReadNeeds = Pick<Ports, 'callLookup' | 'rateCounters'> & MigrateNeeds

export type CallRecords = {
  count: number
  countedAtMs: number
  /** Without what charged calls left behind, as far as the store told. */
  profile: StandingProfile | undefined
  isInRow: boolean
  candidates: Candidates
}

/**
 * The first call of a user of the earlier service moves the user. A user with a profile costs
 * nothing.
 */
export async function readForCall(
  ports: ReadNeeds,
  settings: Settings,
  caller: Principal,
  skill: string,
): Promise<CallRecords> {
  const read = await readAll(ports, settings, caller, skill)
  if (read.profile !== undefined) return read
  const { profile } = await migrateLate(ports, { uid: caller.uid, known: caller.v0 })
  return { ...read, profile: profile && standing(profile, []) }
}

async function readAll(
  ports: ReadNeeds,
  settings: Settings,
  caller: Principal,
  skill: string,
): Promise<CallRecords> {
  const countedAtMs = ports.clock.nowMs()
  const lookup = lookupOf(settings, caller, skill)
  const recentCalls = (shared: SkillRecord | undefined) =>
    shared === undefined || storedPrice(shared, settings.prefix) > 0
  const reading = ports.callLookup.read({ ...lookup, recentCalls })
  const [count, { candidates, profile, recentCalls: ended }] = await Promise.all([
    ports.rateCounters.count({
      keyHash: caller.keyHash,
      minute: minuteOf(countedAtMs),
      uid: caller.uid,
      limit: async () => callsPerMinute(settings, (await reading).profile),
    }),
    reading,
  ])
  return {
    count,
    countedAtMs,
    profile: profile && standing(profile, ended ?? []),
    isInRow: isInRow(ended, countedAtMs),
    candidates,
  }
}
