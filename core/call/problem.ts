/** A refusal as an RFC 9457 problem document; the one place that makes them. */
import { ERRORS, type Refusal } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { CallCredits, Problem } from './execute.ts'

/** The value of `WWW-Authenticate`: an API key, sent as a Bearer token (RFC 6750, section 3). */
export const CHALLENGE = 'Bearer realm="skillgate"'
/** Faults in one document; further ones appear once these are corrected. */
export const PROBLEM_FAULTS_MAX = 100

export type ProblemExtras = {
  readonly callId?: string
  readonly credits?: CallCredits
  readonly requiredCapabilities?: JsonObject
}

export function problemOf(refusal: Refusal, extras: ProblemExtras = {}): Problem {
  const { code, detail, faults, requiredCapabilities, retryAfterSec, upstreamFault } = refusal
  return {
    type: 'about:blank',
    title: ERRORS[code].title,
    status: ERRORS[code].status,
    detail,
    code,
    ...extras,
    ...(requiredCapabilities === undefined ? {} : { requiredCapabilities }),
    ...(faults === undefined ? {} : { errors: faults.slice(0, PROBLEM_FAULTS_MAX) }),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
    ...(upstreamFault === undefined ? {} : { upstreamFault }),
    ...(ERRORS[code].status === 401 ? { wwwAuthenticate: CHALLENGE } : {}),
  }
}
