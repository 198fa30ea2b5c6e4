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

type CallerRead<P extends Profile> = {
  /** Calls of the key in the minute of `countedAtMs`. */
  readonly count: number
  readonly countedAtMs: number
  readonly profile: P | undefined
}

/** Judges the count even without a profile, so that every answer carries the rate limit headers. */
export function judgeProfile<P extends Profile>(settings: Settings, read: CallerRead<P>) {
  const limit = callsPerMinute(settings, read.profile)
  const judged = judgeCount({ count: read.count, limit, nowMs: read.countedAtMs })
  return { headers: rateLimitHeaders(judged), profile: profileOrRefusal(read.profile, judged) }
}

export function callsPerMinute(settings: Settings, profile: Profile | undefined): number {
  return tierLimits(settings, profile?.tier ?? 'free').callsPerMinute
}

function profileOrRefusal<P extends Profile>(
  profile: P | undefined,
  judged: ReturnType<typeof judgeCount>,
): Result<P> {
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
