/**
 * What requests are signed with: credentials, and the difference between the server's clock and this one. An
 * answer that refuses one of them corrects it for all later requests. Requests run in parallel, so each is
 * compared with the values that signed it.
 */
import type { Credentials } from '../sign-request.ts'
import { ServiceError, type Trouble } from './service-error.ts'

export type SigningState = {
  current(): Signing
  /** Corrects the values. False if another try would have the same signature and fail again. */
  repair(trouble: Trouble, cause: unknown, by: Signing): boolean
}

export type Signing = {
  readonly credentials: Credentials
  /** The server's clock minus this one, in ms. */
  readonly offsetMs: number
}

/** Services accept signatures of the last five minutes, so a smaller difference is not the reason. */
const SKEW_MS = 240_000

export function signingState(read: () => Credentials, nowMs: () => number): SigningState {
  let now: Signing | undefined
  const current = () => {
    now ??= { credentials: read(), offsetMs: 0 }
    return now
  }
  return {
    current,
    repair: (trouble, cause, by) => {
      if (trouble === 'expired') {
        now = { ...current(), credentials: read() }
        return !areSame(now.credentials, by.credentials)
      }
      if (trouble !== 'skewed') return true
      const offsetMs = readServerTimeMs(cause) - nowMs()
      const isOff = Math.abs(offsetMs - by.offsetMs) >= SKEW_MS
      if (isOff) now = { ...current(), offsetMs }
      return isOff
    },
  }
}

function areSame(one: Credentials, other: Credentials): boolean {
  return one.accessKeyId === other.accessKeyId && one.sessionToken === other.sessionToken
}

/** The time in the answer; NaN without a date, or for an answer from a cache. */
function readServerTimeMs(cause: unknown): number {
  if (!(cause instanceof ServiceError)) return Number.NaN
  const { age, date } = cause.headers
  return age === undefined ? Date.parse(String(date)) : Number.NaN
}
