/**
 * What a call reads before it is judged, in one round trip: count the minute, which enters the user for the sweep ∥
 * read the user and the skills that the name may mean.
 */
import { minuteOf } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import type { Candidates } from '../../skills/skill.ts'
import { migrateLate } from '../migration/migrate-late.ts'
import type { MigrateNeeds } from '../migration/migrate-user.ts'
import { callsPerMinute } from './judge-profile.ts'
import { lookupOf } from './listed-skill.ts'

type ReadNeeds = Pick<Ports, 'callLookup' | 'rateCounters'> & MigrateNeeds

export type CallRecords = {
  count: number
  countedAtMs: number
  profile: Profile | undefined
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
  return { ...read, profile }
}

async function readAll(
  ports: ReadNeeds,
  settings: Settings,
  caller: Principal,
  skill: string,
): Promise<CallRecords> {
  const countedAtMs = ports.clock.nowMs()
  const reading = ports.callLookup.read(lookupOf(settings, caller, skill))
  const [count, { candidates, profile }] = await Promise.all([
    ports.rateCounters.count({
      keyHash: caller.keyHash,
      minute: minuteOf(countedAtMs),
      uid: caller.uid,
      limit: async () => callsPerMinute(settings, (await reading).profile),
    }),
    reading,
  ])
  return { count, countedAtMs, profile, candidates }
}
