/**
 * What signatures are made with: credentials, and how far the server's clock is from this one. An answer that says
 * that one of them is wrong corrects it, for all requests that follow. Requests run at once, so each is compared
 * with what it was signed by.
 */
import type { Credentials } from '../sign-request.ts'
import { ServiceError, type Trouble } from './service-error.ts'

export type SigningState = {
  current(): Signing
  /** False when another try would be signed in the same way and fail in the same way. */
  repair(trouble: Trouble, cause: unknown, by: Signing): boolean
}

export type Signing = {
  readonly credentials: Credentials
  /** The server's clock less this one's. */
  readonly offsetMs: number
}

/** The services take signatures of the last five minutes; a smaller difference is not why it refused one. */
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
      const offsetMs = serverTimeMs(cause) - nowMs()
      const isOff = Math.abs(offsetMs - by.offsetMs) >= SKEW_MS
      if (isOff) now = { ...current(), offsetMs }
      return isOff
    },
  }
}

function areSame(one: Credentials, other: Credentials): boolean {
  return one.accessKeyId === other.accessKeyId && one.sessionToken === other.sessionToken
}

/** NaN without a date, or with that of an answer that a cache kept. */
function serverTimeMs(cause: unknown): number {
  if (!(cause instanceof ServiceError)) return Number.NaN
  const { age, date } = cause.headers
  return age === undefined ? Date.parse(String(date)) : Number.NaN
}
