/**
 * The reads of a call before its checks, in one round trip: count the call in its minute (the same
 * write enters the user for the sweep) ∥ read the profile and the skills that the name may mean.
 * `checkCaller` then checks that the key has calls left in this minute and that its user exists
 * and is active.
 *
 * An administrator may list a skill under another name. A name that is no skill's own, or only that
 * of a skill which the caller may not see, is searched in the tool list. Such a call waits for two
 * more reads of the store.
 */
import { buildRateLimitHeaders, decideRate, toMinute } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { toCountedHash } from '../../access/sub-key.ts'
import { toDisabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { findTierLimits, type Settings } from '../../settings.ts'
import type { Candidates } from '../../skills/skill.ts'
import { cutUsername, enforcePrefix, toToolKey } from '../../skills/tool-name.ts'
import { type Groups, isVisible, NO_GROUPS, pickVisible, resolve } from '../../skills/visible.ts'
import { USER_DELETED } from '../access/authenticate.ts'
import { loadAndMigrateUser } from '../migration/migrate-late.ts'
import type { MigrateNeeds } from '../migration/migrate-user.ts'

type ReadNeeds = Pick<Ports, 'callLookup' | 'rateCounters'> & MigrateNeeds

export type CallRecords = {
  count: number
  countedAtMs: number
  profile: Profile | undefined
  candidates: Candidates
}

type Named = { readonly skill: string; readonly isCounted: boolean }

/**
 * Reads everything that the checks need. The first call of a user of the earlier service also
 * migrates the user; a user with a profile costs no further request. Throws `Fault` if the store
 * fails. A round of a task that goes on is not counted.
 */
export async function readForCall(
  ports: ReadNeeds,
  settings: Settings,
  caller: Principal,
  named: Named,
): Promise<CallRecords> {
  const read = await readAll(ports, settings, caller, named)
  if (read.profile !== undefined) return read
  const { profile } = await loadAndMigrateUser(ports, { uid: caller.uid, known: caller.v0 })
  return { ...read, profile }
}

async function readAll(
  ports: ReadNeeds,
  settings: Settings,
  caller: Principal,
  { isCounted, skill }: Named,
): Promise<CallRecords> {
  const countedAtMs = ports.clock.nowMs()
  const reading = ports.callLookup.read(toLookup(settings, caller, skill))
  const counting = isCounted
    ? ports.rateCounters.count({
        keyHash: toCountedHash(caller),
        minute: toMinute(countedAtMs),
        uid: caller.uid,
        limit: async () => callsPerMinute(settings, (await reading).profile),
      })
    : 0
  const [count, { candidates, profile }] = await Promise.all([counting, reading])
  return { count, countedAtMs, profile, candidates }
}

type CallerRead = {
  /** Calls of the key in the minute of `countedAtMs`. */
  readonly count: number
  readonly countedAtMs: number
  readonly profile: Profile | undefined
}

/**
 * Returns the rate limit headers, and the profile or why the call is refused: `rate_limited`,
 * `unauthenticated` or `user_disabled`. The count is checked even without a profile, so that every
 * answer carries the headers.
 */
export function checkCaller(settings: Settings, read: CallerRead) {
  const limit = callsPerMinute(settings, read.profile)
  const verdict = decideRate({ count: read.count, limit, nowMs: read.countedAtMs })
  return { headers: buildRateLimitHeaders(verdict), profile: checkProfile(read.profile, verdict) }
}

function callsPerMinute(settings: Settings, profile: Profile | undefined): number {
  return findTierLimits(settings, profile?.tier ?? 'free').callsPerMinute
}

function checkProfile(
  profile: Profile | undefined,
  verdict: ReturnType<typeof decideRate>,
): Result<Profile> {
  if (!verdict.allowed) {
    return refuse(
      'rate_limited',
      `This key may make ${verdict.limit} calls a minute. Wait ${verdict.retryAfterSec} s, then send it again.`,
      { retryAfterSec: verdict.retryAfterSec },
    )
  }
  if (profile === undefined) return err(USER_DELETED)
  return profile.disabled === undefined ? ok(profile) : err(toDisabledRefusal(profile.disabled))
}

/** What a name may mean, and the name of the pushed entry by which it was found, if it was. */
export type ListedCandidates = Candidates & { readonly listedAs?: string }

/** The names under which the store may have the skill that this user calls. */
function toLookup(
  { prefix }: Pick<Settings, 'prefix'>,
  { uid, username }: Pick<Principal, 'uid' | 'username'>,
  name: string,
): Parameters<Ports['callLookup']['read']>[0] {
  return { uid, name, skillId: enforcePrefix(prefix, name), cut: cutUsername(username, name) }
}

/**
 * Returns the candidates that this caller may see. If the name is a skill's own, as nearly always,
 * no read is made; otherwise the tool list is searched. Throws `Fault` if the store fails.
 */
export async function findCandidates(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  settings: Settings,
  { name, uid }: { readonly name: string; readonly uid: string },
  read: { readonly candidates: Candidates; readonly groups: Groups | undefined },
): Promise<ListedCandidates> {
  const { groups = NO_GROUPS } = read
  const found = pickVisible(read.candidates, groups)
  if (resolve(found) !== undefined) return found
  return readListed(ports, settings, { uid, name, groups, found })
}

/** Returns the skill of the pushed entry with this name, or `found` if there is no such entry. */
async function readListed(
  ports: Pick<Ports, 'callLookup' | 'toolsCache'>,
  { prefix }: Pick<Settings, 'prefix'>,
  called: {
    readonly uid: string
    readonly name: string
    readonly groups: Groups
    readonly found: Candidates
  },
): Promise<ListedCandidates> {
  const { found, groups, name, uid } = called
  const key = toToolKey(prefix, name)
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
  return { ...pickVisible(candidates, groups), listedAs: key }
}
