/**
 * What a call reads before it is judged, in one round trip: count the minute, which enters the user for the sweep ∥
 * read the user and the skills that the name may mean.
 * Then it is judged who calls: whether the key has calls left in this minute, and whether its user is there and active.
 * An administrator may list a skill under a name of its own (`skillId`). Only a name that means no skill by itself, or one
 * that this caller may not see, is looked up in the tool list: such a call waits for two more reads of the store.
 */
import { judgeCount, minuteOf, rateLimitHeaders } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { disabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import type { Candidates } from '../../skills/skill.ts'
import { cutUsername, enforcePrefix, toolKey } from '../../skills/tool-name.ts'
import {
  type Groups,
  isVisible,
  NO_GROUPS,
  resolve,
  visibleCandidates,
} from '../../skills/visible.ts'
import { NO_USER } from '../access/authenticate.ts'
import { migrateLate } from '../migration/migrate-late.ts'
import type { MigrateNeeds } from '../migration/migrate-user.ts'

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

type CallerRead = {
  /** Calls of the key in the minute of `countedAtMs`. */
  readonly count: number
  readonly countedAtMs: number
  readonly profile: Profile | undefined
}

/** Judges the count even without a profile, so that every answer carries the rate limit headers. */
export function judgeProfile(settings: Settings, read: CallerRead) {
  const limit = callsPerMinute(settings, read.profile)
  const judged = judgeCount({ count: read.count, limit, nowMs: read.countedAtMs })
  return { headers: rateLimitHeaders(judged), profile: profileOrRefusal(read.profile, judged) }
}

function callsPerMinute(settings: Settings, profile: Profile | undefined): number {
  return tierLimits(settings, profile?.tier ?? 'free').callsPerMinute
}

function profileOrRefusal(
  profile: Profile | undefined,
  judged: ReturnType<typeof judgeCount>,
): Result<Profile> {
  if (!judged.allowed) {
    return refuse(
      'rate_limited',
      `This key may make ${judged.limit} calls a minute. Wait ${judged.retryAfterSec} s, then send it again.`,
      { retryAfterSec: judged.retryAfterSec },
    )
  }
  if (profile === undefined) return err(NO_USER)
  return profile.disabled === undefined ? ok(profile) : err(disabledRefusal(profile.disabled))
}

/** What the store is asked for when this user calls a tool of this name. */
function lookupOf(
  { prefix }: Pick<Settings, 'prefix'>,
  { uid, username }: Pick<Principal, 'uid' | 'username'>,
  name: string,
): Parameters<Ports['callLookup']['read']>[0] {
  return { uid, name, skillId: enforcePrefix(prefix, name), cut: cutUsername(username, name) }
}

/** Candidates that this caller sees. A name that means a skill by itself, the common case, waits for no further turn. */
export async function candidatesFor(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  settings: Settings,
  { name, uid }: { readonly name: string; readonly uid: string },
  of: { readonly candidates: Candidates; readonly groups: Groups | undefined },
): Promise<Candidates> {
  const { groups = NO_GROUPS } = of
  const found = visibleCandidates(of.candidates, groups)
  if (resolve(found) !== undefined) return found
  return listedCandidates(ports, settings, { uid, name, groups, found })
}

/** The skill of the pushed entry with this name; without such an entry `found`, which has no skill. */
async function listedCandidates(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  { prefix }: Pick<Settings, 'prefix'>,
  called: {
    readonly uid: string
    readonly name: string
    readonly groups: Groups
    readonly found: Candidates
  },
): Promise<Candidates> {
  const { found, groups, name, uid } = called
  const key = toolKey(prefix, name)
  const list = await ports.toolsCache.read()
  const entry = list?.tools.find((tool) => tool.name === key)
  if (entry?.skillId === undefined || !isVisible(entry.groups, groups)) return found
  const skillId = enforcePrefix(prefix, entry.skillId)
  const { candidates } = await ports.callLookup.read({
    uid,
    name: skillId,
    skillId,
    cut: undefined,
  })
  return visibleCandidates(candidates, groups)
}
