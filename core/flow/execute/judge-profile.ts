/**
 * Judges who calls: whether the key has calls left in this minute, and whether its user is there and
 * active. Bound by docs/service.md, Order of a call.
 */
import { judgeCount, rateLimitHeaders } from '../../access/minute.ts'
import { disabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import { NO_USER } from '../access/authenticate.ts'

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

export function callsPerMinute(settings: Settings, profile: Profile | undefined): number {
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
