/**
 * Counts requests other than execute calls by the minute, and refuses past the limit. tools/list
 * and built-in tools count in the key's own minute; stream opens and anonymous lists have counters
 * of their own. Each count is one atomic write, and a refused request has been counted, too. Bound
 * by docs/service.md, Call counts, and ADR 0011.
 */
import {
  ANONYMOUS_LISTS_PER_MINUTE,
  ANONYMOUS_OPENS_PER_MINUTE,
  STREAM_OPENS_PER_MINUTE,
} from '../../access/limits.ts'
import { judgeCount, minuteOf } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { disabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { ANONYMOUS } from '../../session/session.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import { profileOrUnmoved } from '../migration/v0-view.ts'

type Needs = Pick<Ports, 'clock' | 'rateCounters'>

/** The count, and the user's profile, which was read in the same round trip. */
export type CountedRequest = {
  /** Undefined: the user is gone. */
  readonly profile: Profile | undefined
  /** Requests that the key may make in a minute. */
  readonly limit: number
  /** Requests left to the key in this minute, and the seconds until the next one begins. */
  readonly remaining: number
  readonly resetSec: number
  /** When the request was counted. */
  readonly nowMs: number
}

/**
 * One request of a key, in the same counter as its execute calls. Refuses with `rate_limited`, and with
 * `user_disabled` whoever is not active.
 */
export async function countRequest(
  ports: Needs & Pick<Ports, 'profiles'>,
  settings: Settings,
  principal: Principal,
): Promise<Result<CountedRequest>> {
  const nowMs = ports.clock.nowMs()
  const reading = ports.profiles.read(principal.uid).then((stored) => {
    const profile = profileOrUnmoved(principal, stored)
    return { profile, limit: tierLimits(settings, profile?.tier ?? 'free').callsPerMinute }
  })
  const [count, { limit, profile }] = await Promise.all([
    ports.rateCounters.count({
      keyHash: principal.keyHash,
      minute: minuteOf(nowMs),
      limit: async () => (await reading).limit,
    }),
    reading,
  ])
  const rule = `This key may make ${limit} calls a minute, lists included.`
  const within = judge({ count, limit, nowMs }, rule)
  if (!within.ok) return within
  if (profile?.disabled !== undefined) return err(disabledRefusal(profile.disabled))
  return ok({ profile, ...within.value })
}

/** One tools/list or search without a user. Refuses with `rate_limited`. */
export function countAnonymousList(ports: Needs): Promise<Result<unknown>> {
  const limit = ANONYMOUS_LISTS_PER_MINUTE
  const rule = `tools/list without a key is served ${limit} times a minute, to all callers together.`
  return countIn(ports, `${ANONYMOUS}#list`, limit, rule)
}

/**
 * One stream to open; without a principal it is an anonymous one. Refuses with `rate_limited`, and with
 * `user_disabled` whoever is not active.
 */
export async function countOpen(
  ports: Needs & Pick<Ports, 'profiles'>,
  principal: Principal | undefined,
): Promise<Result<unknown>> {
  if (principal === undefined) {
    const limit = ANONYMOUS_OPENS_PER_MINUTE
    const rule = `Without a key, all callers together may open ${limit} streams a minute.`
    return countIn(ports, `${ANONYMOUS}#open`, limit, rule)
  }
  const limit = STREAM_OPENS_PER_MINUTE
  const rule = `This key may open ${limit} streams a minute.`
  const [counted, profile] = await Promise.all([
    countIn(ports, `${principal.keyHash}#open`, limit, rule),
    ports.profiles.read(principal.uid),
  ])
  if (!counted.ok || profile?.disabled === undefined) return counted
  return err(disabledRefusal(profile.disabled))
}

async function countIn(
  ports: Needs,
  counter: string,
  limit: number,
  rule: string,
): Promise<Result<unknown>> {
  const nowMs = ports.clock.nowMs()
  const minute = minuteOf(nowMs)
  const count = await ports.rateCounters.count({
    keyHash: counter,
    minute,
    limit: () => Promise.resolve(limit),
  })
  return judge({ count, limit, nowMs }, rule)
}

/** The wait ends with the minute that was counted, even if the next one has begun since. */
function judge(
  counted: { count: number; limit: number; nowMs: number },
  rule: string,
): Result<Omit<CountedRequest, 'profile'>> {
  const judged = judgeCount(counted)
  const { limit, remaining, resetSec } = judged
  if (judged.allowed) return ok({ limit, remaining, resetSec, nowMs: counted.nowMs })
  const { retryAfterSec } = judged
  return refuse('rate_limited', `${rule} Wait ${retryAfterSec} s, then send it again.`, {
    retryAfterSec,
  })
}
