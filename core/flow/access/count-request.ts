/**
 * Counts requests other than execute calls by the minute and refuses those over the limit.
 * tools/list and built-in tools share the minute of the key's calls; stream opens and anonymous
 * lists have counters of their own. Each count is one atomic write, and a refused request is
 * counted too. Bound by docs/service.md, Call counts, and docs/design/ledger.md#what-counts.
 */
import {
  ACCOUNT_CHANGES_PER_MINUTE,
  ANONYMOUS_LISTS_PER_MINUTE,
  ANONYMOUS_OPENS_PER_MINUTE,
  STREAM_OPENS_PER_MINUTE,
  UPSTREAM_READS_PER_MINUTE,
} from '../../access/limits.ts'
import { decideRate, toMinute } from '../../access/minute.ts'
import type { Principal } from '../../access/principal.ts'
import { toCountedHash } from '../../access/sub-key.ts'
import { toDisabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { ANONYMOUS } from '../../session/session.ts'
import { findTierLimits, type Settings } from '../../settings.ts'
import { withUnmovedProfile } from '../migration/v0-view.ts'

type Needs = Pick<Ports, 'clock' | 'rateCounters'>

/** The count, and the user's profile, which is read in the same round trip. */
export type CountedRequest = {
  /** Undefined if the user was deleted. */
  readonly profile: Profile | undefined
  /** Requests that the key may make in a minute. */
  readonly limit: number
  /** Requests that the key has left in this minute, and seconds until the next minute. */
  readonly remaining: number
  readonly resetSec: number
  /** When the request was counted. */
  readonly nowMs: number
}

/**
 * Counts one request of a key, in the same counter as its execute calls. Refuses with
 * `rate_limited`, or with `user_disabled` if the user is not active.
 */
export async function countRequest(
  ports: Needs & Pick<Ports, 'profiles'>,
  settings: Settings,
  principal: Principal,
): Promise<Result<CountedRequest>> {
  const nowMs = ports.clock.nowMs()
  const reading = ports.profiles.read(principal.uid).then((stored) => {
    const profile = withUnmovedProfile(principal, stored)
    return { profile, limit: findTierLimits(settings, profile?.tier ?? 'free').callsPerMinute }
  })
  const [count, { limit, profile }] = await Promise.all([
    ports.rateCounters.count({
      keyHash: toCountedHash(principal),
      minute: toMinute(nowMs),
      limit: async () => (await reading).limit,
    }),
    reading,
  ])
  const rule = `This key may make ${limit} calls a minute, lists included.`
  const within = decide({ count, limit, nowMs }, rule)
  if (!within.ok) return within
  if (profile?.disabled !== undefined) return err(toDisabledRefusal(profile.disabled))
  return ok({ profile, ...within.value })
}

/**
 * The profile of a request that another function of the gateway has counted; undefined if the user
 * was deleted. Refuses with `user_disabled`.
 */
export async function readCountedProfile(
  { profiles }: Pick<Ports, 'profiles'>,
  principal: Principal,
): Promise<Result<Profile | undefined>> {
  const profile = withUnmovedProfile(principal, await profiles.read(principal.uid))
  return profile?.disabled === undefined ? ok(profile) : err(toDisabledRefusal(profile.disabled))
}

/** Counts one tools/list or search without a user. Refuses with `rate_limited`. */
export function countAnonymousList(ports: Needs): Promise<Result<unknown>> {
  const limit = ANONYMOUS_LISTS_PER_MINUTE
  const rule = `tools/list without a key is served ${limit} times a minute, to all callers together.`
  return countIn(ports, `${ANONYMOUS}#list`, limit, rule)
}

/**
 * Counts one stream to open; without a principal it is anonymous. Refuses with `rate_limited`, or
 * with `user_disabled` if the user is not active.
 */
export async function countStreamOpen(
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
    countIn(ports, `${toCountedHash(principal)}#open`, limit, rule),
    ports.profiles.read(principal.uid),
  ])
  if (!counted.ok || profile?.disabled === undefined) return counted
  return err(toDisabledRefusal(profile.disabled))
}

/** Counts one read that reaches an upstream, beside its request. Refuses with `rate_limited`. */
export function countUpstreamRead(ports: Needs, principal: Principal): Promise<Result<unknown>> {
  const limit = UPSTREAM_READS_PER_MINUTE
  const rule = `This key may read ${limit} resources and prompts of upstreams a minute.`
  return countIn(ports, `${toCountedHash(principal)}#read`, limit, rule)
}

/** Counts one change that a user makes to the own account. Refuses with `rate_limited`. */
export function countAccountChange(
  ports: Needs,
  { uid }: Pick<Principal, 'uid'>,
): Promise<Result<unknown>> {
  const limit = ACCOUNT_CHANGES_PER_MINUTE
  const rule = `You may make ${limit} changes to your account a minute, with all credentials together.`
  return countIn(ports, `${uid}#account`, limit, rule)
}

async function countIn(
  ports: Needs,
  counter: string,
  limit: number,
  rule: string,
): Promise<Result<unknown>> {
  const nowMs = ports.clock.nowMs()
  const minute = toMinute(nowMs)
  const count = await ports.rateCounters.count({
    keyHash: counter,
    minute,
    limit: () => Promise.resolve(limit),
  })
  return decide({ count, limit, nowMs }, rule)
}

/** The advised wait ends with the counted minute, even if the next one has begun since. */
function decide(
  counted: { count: number; limit: number; nowMs: number },
  rule: string,
): Result<Omit<CountedRequest, 'profile'>> {
  const decision = decideRate(counted)
  const { limit, remaining, resetSec } = decision
  if (decision.allowed) return ok({ limit, remaining, resetSec, nowMs: counted.nowMs })
  const { retryAfterSec } = decision
  return refuse('rate_limited', `${rule} Wait ${retryAfterSec} s, then send it again.`, {
    retryAfterSec,
  })
}
