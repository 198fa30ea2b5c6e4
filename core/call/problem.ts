/**
 * Makes RFC 9457 problem documents of refusals for agents and other callers of tools, who get no
 * remedy of administrators. core/remedies/admin-problem.ts adds those.
 */
import { ERRORS, type Refusal } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { ShownLink } from '../secrets/secret-link.ts'
import type { CallCredits, Problem } from './execute.ts'

/** The value of `WWW-Authenticate`: API keys are sent as Bearer tokens (RFC 6750, section 3). */
export const CHALLENGE = 'Bearer realm="skillgate"'
/** Field errors in one document. The others appear once these are corrected. */
export const PROBLEM_FAULTS_MAX = 100

export type ProblemExtras = {
  readonly callId?: string
  readonly credits?: CallCredits
  readonly requiredCapabilities?: JsonObject
  readonly link?: ShownLink
}

export function toProblem(refusal: Refusal, extras: ProblemExtras = {}): Problem {
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
