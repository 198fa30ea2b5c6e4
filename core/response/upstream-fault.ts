/**
 * The class of an upstream's failed status, by which a caller is advised: a rejected secret, a
 * denied access, or a pause that the upstream asks for. Judges no successful answer.
 */

import { readRetryAfter } from '../call/retry.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import type { UpstreamFault } from '../errors.ts'

/**
 * Seconds of `Retry-After` that are passed on. Within a conversation no wait is longer than a day,
 * and servers send dates years ahead.
 */
export const RETRY_AFTER_SEC_MAX = 86_400

export type StatusFault = {
  readonly upstreamFault?: UpstreamFault
  /** Whole seconds, at least 1. */
  readonly retryAfterSec?: number
}

/** `sentSecrets`: the request held a stored secret, or a token got with one. */
export function statusFault(
  { retryAfter, status }: Pick<UpstreamResponse, 'retryAfter' | 'status'>,
  { nowMs, sentSecrets }: { readonly nowMs: number; readonly sentSecrets: boolean },
): StatusFault {
  if (status === 401 || status === 403) {
    return { upstreamFault: sentSecrets ? 'secret_rejected' : 'access_denied' }
  }
  if (status !== 429 && status !== 503) return {}
  const waitMs = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, nowMs)
  if (waitMs !== undefined) return { upstreamFault: 'busy', retryAfterSec: secondsOf(waitMs) }
  return status === 429 ? { upstreamFault: 'busy' } : {}
}

function secondsOf(waitMs: number): number {
  return Math.min(RETRY_AFTER_SEC_MAX, Math.max(1, Math.ceil(waitMs / 1_000)))
}
